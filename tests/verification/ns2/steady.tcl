# Bulk TCP flows over one bottleneck, from some time on: does each keep the link busy?
#
#   ns steady.tcl FLAVOUR FLOWS MBPS MS PACKETS DELAYED
#
# The bottleneck has MBPS Mb/s, MS ms one way and a queue of PACKETS waiting
# packets; links of the hosts have 1 Gb/s and no delay.  DELAYED is 1 where sinks
# delay acknowledgments.  Flows start a tenth of a second apart; what counts is
# from 30 s to 150 s.  Prints one line of CSV; `ns steady.tcl header` prints
# the column names.

source [file join [file dirname [info script]] common.tcl]

if {[lindex $argv 0] eq "header"} {
    puts "flavour,flows,mbps,ms,packets,delayed,share,timeouts"
    exit 0
}
if {[llength $argv] != 6} {
    puts stderr "usage: ns steady.tcl FLAVOUR FLOWS MBPS MS PACKETS DELAYED"
    exit 2
}
foreach {flavour flows mbps ms packets delayed} $argv break

keep_needed_headers

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 10000
Agent/TCP set minrto_ 0.2
# A limit of L holds L - 1 waiting packets; the one in transmission is apart.
Queue set limit_ 20001

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${mbps}Mb ${ms}ms DropTail
$ns queue-limit $left $right [expr {$packets + 1}]
for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    set target [$ns node]
    $ns duplex-link $source $left 1Gb 0ms DropTail
    $ns duplex-link $right $target 1Gb 0ms DropTail
    set start [expr {0.1 * $i}]
    foreach {tcp sink} [start_flow $ns $flavour $source $target $start $delayed] break
    if {$delayed} { $sink set interval_ 40ms }
    lappend senders $tcp
    lappend sinks $sink
}

proc totals {} {
    global senders sinks
    set bytes 0
    set timeouts 0
    foreach tcp $senders sink $sinks {
        set bytes [expr {$bytes + [$sink set bytes_]}]
        incr timeouts [$tcp set nrexmit_]
    }
    return [list $bytes $timeouts]
}

proc begin {} {
    global before
    set before [totals]
}

proc report {} {
    global argv flavour mbps before
    foreach {bytes timeouts} [totals] break
    set bytes [expr {$bytes - [lindex $before 0]}]
    set timeouts [expr {$timeouts - [lindex $before 1]}]
    print_row $flavour [format "%s,%.4f,%d" [join $argv ,] \
        [expr {$bytes * 8.0 / (120 * $mbps * 1e6)}] $timeouts]
    exit 0
}

$ns at 30 begin
$ns at 150 report
$ns run
