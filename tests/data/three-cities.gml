# Laid out as the files of the Internet Topology Zoo (S. Knight, H. X. Nguyen, N. Falkner, R. Bowden
# and M. Roughan, IEEE JSAC 29(9), 2011; https://topology-zoo.org): labels that are not unique,
# coordinates, no lengths. The cities' coordinates are rounded to 0.1 degrees.
graph [
  directed 0
  multigraph 1
  Network "ThreeCities"
  node [
    id 0
    label "Zürich HB"
    Longitude 8.5
    Latitude 47.4
  ]
  node [
    id 1
    label "Wien"
    Longitude 16.4
    Latitude 48.2
  ]
  node [
    id 2
    label "Wien"
    Longitude 16.6
    Latitude 48.1
  ]
  edge [
    source 0
    target 1
    LinkLabel "OC-48"
  ]
  edge [
    source 1
    target 2
  ]
  edge [
    source 0
    target 1
    LinkLabel "a second one"
  ]
]
