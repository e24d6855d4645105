# A fat tree of k = 8 (128 hosts, 80 switches) with a bulk TCP flow from every
# host to another: a random permutation in which no host keeps its place.
#
#   ns fat_tree.tcl [FLAVOUR [SEED [DURATION [K [FLOWS_A_HOST [WARMUP]]]]]]
#
# Defaults: sack 1 0.1 8 1 0.  packet_hops, cpu_s and wall_s are those after
# WARMUP; all flows of a host go to the same one.  Links are 10 Gb/s, 0.5 us; queues hold 100 waiting
# packets; packets are 9000 bytes.  Every switch sends all packets for one
# destination along one random minimum-hop link.  Since each host receives one
# flow of data, every flow has a random minimum-hop path of its own (and its
# ACKs another).  Flows start uniformly in the first millisecond.
# Prints one line of CSV; `ns fat_tree.tcl header` prints the column names.

source [file join [file dirname [info script]] common.tcl]

set columns "flavour,seed,duration_s,goodput_bps,loss_ratio,jain"
append columns ",offered_packets,dropped_packets,dropped_acks"
append columns ",sent_packets,retransmitted_packets,timeouts"
append columns ",packet_hops,cpu_s,wall_s"
if {[lindex $argv 0] eq "header"} {
    puts $columns
    exit 0
}
if {[llength $argv] > 6} {
    puts stderr "usage: ns fat_tree.tcl \[FLAVOUR \[SEED \[DURATION \[K \[FLOWS_A_HOST \[WARMUP\]\]\]\]\]\]"
    exit 2
}
set settings {sack 1 0.1 8 1 0}
set settings [concat $argv [lrange $settings [llength $argv] end]]
foreach {flavour seed duration k flows_a_host warmup} $settings break

keep_needed_headers
seed_default_stream $seed

set half [expr {$k / 2}]
set payload 8960
set wire 9000
Agent/TCP set packetSize_ $payload
Agent/TCP set window_ 500
Agent/TCP set minrto_ 0.2
Agent/TCP/Linux set minrto_ 0.2
# A limit of L holds L - 1 waiting packets; the one in transmission is apart.
Queue set limit_ 101

set ns [new Simulator]
$ns rtproto Manual
$ns at $warmup start_measuring

# Connects two nodes.  A packet has crossed `level` links of the longest path
# when it waits for the link upwards, and 5 - `level` when it waits for the one
# downwards: so far a dropped packet has come.
proc connect_nodes {level below above} {
    global ns drops
    $ns duplex-link $below $above 10Gb 0.5us DropTail
    lappend drops $level [count_drops $ns $below $above] \
        [expr {5 - $level}] [count_drops $ns $above $below]
}

set drops {}
for {set c 0} {$c < $half * $half} {incr c} { set core($c) [$ns node] }
for {set p 0} {$p < $k} {incr p} {
    for {set a 0} {$a < $half} {incr a} {
        set aggregation($p,$a) [$ns node]
        for {set c 0} {$c < $half} {incr c} {
            connect_nodes 2 $aggregation($p,$a) $core([expr {$a * $half + $c}])
        }
    }
    for {set e 0} {$e < $half} {incr e} {
        set edge($p,$e) [$ns node]
        for {set a 0} {$a < $half} {incr a} {
            connect_nodes 1 $edge($p,$e) $aggregation($p,$a)
        }
        for {set h 0} {$h < $half} {incr h} {
            set number [expr {($p * $half + $e) * $half + $h}]
            set host($number) [$ns node]
            set place($number) [list $p $e]
            connect_nodes 0 $host($number) $edge($p,$e)
        }
    }
}
set hosts [array size host]

# Routes: up along a random link, down along the only one.
set paths [random_stream $seed]
proc route {from to next} {
    global ns
    $from add-route [$to id] [[$ns link $from $next] head]
}
proc pick {n} {
    global paths
    return [expr {int([$paths uniform 0 $n])}]
}
for {set d 0} {$d < $hosts} {incr d} {
    foreach {pod leaf} $place($d) break
    set to $host($d)
    for {set c 0} {$c < $half * $half} {incr c} {
        route $core($c) $to $aggregation($pod,[expr {$c / $half}])
    }
    for {set p 0} {$p < $k} {incr p} {
        for {set a 0} {$a < $half} {incr a} {
            if {$p == $pod} {
                route $aggregation($p,$a) $to $edge($p,$leaf)
            } else {
                route $aggregation($p,$a) $to $core([expr {$a * $half + [pick $half]}])
            }
        }
        for {set e 0} {$e < $half} {incr e} {
            if {$p == $pod && $e == $leaf} {
                route $edge($p,$e) $to $to
            } else {
                route $edge($p,$e) $to $aggregation($p,[pick $half])
            }
        }
    }
}

# A permutation without fixed points: shuffle until there is none.
set shuffle [random_stream $seed]
set fixed 1
while {$fixed} {
    for {set i 0} {$i < $hosts} {incr i} { set target($i) $i }
    for {set i [expr {$hosts - 1}]} {$i > 0} {incr i -1} {
        set j [expr {int([$shuffle uniform 0 [expr {$i + 1}]])}]
        set kept $target($i)
        set target($i) $target($j)
        set target($j) $kept
    }
    set fixed 0
    for {set i 0} {$i < $hosts} {incr i} {
        if {$target($i) == $i} { set fixed 1 }
    }
}

set starts [random_stream $seed]
for {set i 0} {$i < $hosts} {incr i} {
    set to $target($i)
    foreach {p e} $place($i) break
    foreach {q f} $place($to) break
    route $host($i) $host($to) $edge($p,$e)
    route $host($to) $host($i) $edge($q,$f)
    for {set j 0} {$j < $flows_a_host} {incr j} {
        set start [$starts uniform 0 0.001]
        foreach {tcp sink} [start_flow $ns $flavour $host($i) $host($to) $start] break
        lappend senders $tcp
        lappend sinks $sink
        lappend lengths [expr {$p != $q ? 6 : $e != $f ? 4 : 2}]
    }
}
$ns at $duration report

# Packets and ACKs that were dropped, and packets that crossed a link.  An ACK
# that came home stands for two paths, its own and its packet's; what is under
# way at the end is not counted (about 0.1%).
proc counts {} {
    global drops senders lengths payload
    set hops 0
    foreach tcp $senders length $lengths {
        incr hops [expr {2 * $length * int([$tcp set nackpack_])}]
    }
    set dropped 0
    set dropped_acks 0
    foreach {crossed monitor} $drops {
        set all [expr {int([$monitor set pdrops_])}]
        set data [expr {int(([$monitor set bdrops_] - 40.0 * $all) / $payload)}]
        incr dropped $all
        incr dropped_acks [expr {$all - $data}]
        incr hops [expr {$crossed * $all + 6 * ($all - $data)}]
    }
    return [list $dropped $dropped_acks $hops]
}

proc start_measuring {} {
    global hops_before
    set hops_before [lindex [counts] 2]
    start_clocks
}

proc report {} {
    global flavour seed duration payload wire senders sinks hops_before
    foreach {cpu wall} [read_clocks] break

    # A sink counts in-order bytes with headers; the SYN counts 40.
    set goodputs {}
    set total 0.0
    foreach sink $sinks {
        set packets [expr {([$sink set bytes_] - 40) / $wire}]
        if {$packets < 0} { set packets 0 }
        set goodput [expr {$packets * $payload * 8.0 / $duration}]
        lappend goodputs $goodput
        set total [expr {$total + $goodput}]
    }
    set sent 0
    set again 0
    set timeouts 0
    foreach tcp $senders {
        incr sent [$tcp set ndatapack_]
        incr again [$tcp set nrexmitpack_]
        incr timeouts [$tcp set nrexmit_]
    }
    foreach {dropped dropped_acks hops} [counts] break
    set offered [expr {$hops + $dropped}]
    print_row $flavour [format "%s,%s,%s,%.0f,%.6f,%.5f,%d,%d,%d,%d,%d,%d,%d,%.2f,%.2f" \
        $flavour $seed $duration $total [expr {double($dropped) / $offered}] \
        [jain $goodputs] $offered $dropped $dropped_acks \
        $sent $again $timeouts [expr {$hops - $hops_before}] $cpu $wall]
    exit 0
}

$ns run
