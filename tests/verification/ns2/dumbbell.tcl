# Ten pairs of hosts share one bottleneck; fifty bulk TCP flows a pair.
#
#   ns dumbbell.tcl [FLAVOUR [SEED [DURATION [SCALE [WARMUP]]]]]
#
# Defaults: sack 1 20 1 0.  Pair i (1 .. 10) has 155 Mb/s access links of 2i ms
# at both ends; the bottleneck is 622 Mb/s, 10 ms.  Every queue holds 1000
# waiting packets.  Flows start uniformly in the first second.  Flows, rates and
# queues are SCALE times as many; packet_hops, cpu_s and wall_s are those after
# WARMUP.
# Prints one line of CSV; `ns dumbbell.tcl header` prints the column names.

source [file join [file dirname [info script]] common.tcl]

set columns "flavour,seed,duration_s,goodput_bps,loss_ratio,jain"
for {set i 1} {$i <= 10} {incr i} { append columns ",pair${i}_goodput_bps" }
append columns ",bottleneck_arrived,bottleneck_dropped,other_dropped"
append columns ",sent_packets,retransmitted_packets,timeouts"
append columns ",packet_hops,cpu_s,wall_s"
if {[lindex $argv 0] eq "header"} {
    puts $columns
    exit 0
}
if {[llength $argv] > 5} {
    puts stderr "usage: ns dumbbell.tcl \[FLAVOUR \[SEED \[DURATION \[SCALE \[WARMUP\]\]\]\]\]"
    exit 2
}
set settings {sack 1 20 1 0}
set settings [concat $argv [lrange $settings [llength $argv] end]]
foreach {flavour seed duration scale warmup} $settings break

keep_needed_headers
seed_default_stream $seed

set payload 1460
set wire 1500
Agent/TCP set packetSize_ $payload
Agent/TCP set window_ 1000
# A limit of L holds L - 1 waiting packets; the one in transmission is apart.
Queue set limit_ [expr {1000 * $scale + 1}]

set ns [new Simulator]
$ns at $warmup start_measuring
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right [expr {622 * $scale}]Mb 10ms DropTail
set bottleneck [$ns monitor-queue $left $right ""]
set other_drops [list [count_drops $ns $right $left]]

set starts [random_stream $seed]
for {set i 1} {$i <= 10} {incr i} {
    set source [$ns node]
    set target [$ns node]
    $ns duplex-link $source $left [expr {155 * $scale}]Mb [expr {2 * $i}]ms DropTail
    $ns duplex-link $right $target [expr {155 * $scale}]Mb [expr {2 * $i}]ms DropTail
    lappend other_drops [count_drops $ns $source $left] \
        [count_drops $ns $left $source] \
        [count_drops $ns $right $target] [count_drops $ns $target $right]
    for {set j 0} {$j < 50 * $scale} {incr j} {
        set start [$starts uniform 0 1]
        foreach {tcp sink} [start_flow $ns $flavour $source $target $start] break
        lappend senders $tcp
        lappend sinks($i) $sink
    }
}
$ns at $duration report

# Three links of data, three of ACKs.  An ACK that came home stands for the last
# data link and three ACK links: what is under way at the end beyond the
# bottleneck is not counted (about 0.1%).
proc packet_hops {} {
    global bottleneck senders
    set acks 0
    foreach tcp $senders { incr acks [$tcp set nackpack_] }
    return [expr {[$bottleneck set parrivals_] + [$bottleneck set pdepartures_] + 4 * $acks}]
}

proc start_measuring {} {
    global hops_before
    set hops_before [packet_hops]
    start_clocks
}

proc report {} {
    global flavour seed duration payload wire bottleneck other_drops
    global senders sinks hops_before
    foreach {cpu wall} [read_clocks] break

    # A sink counts in-order bytes with headers; the SYN counts 40.
    set goodputs {}
    set pairs {}
    set total 0.0
    for {set i 1} {$i <= 10} {incr i} {
        set pair 0.0
        foreach sink $sinks($i) {
            set packets [expr {([$sink set bytes_] - 40) / $wire}]
            if {$packets < 0} { set packets 0 }
            set goodput [expr {$packets * $payload * 8.0 / $duration}]
            lappend goodputs $goodput
            set pair [expr {$pair + $goodput}]
        }
        lappend pairs [format %.0f $pair]
        set total [expr {$total + $pair}]
    }
    set sent 0
    set again 0
    set timeouts 0
    foreach tcp $senders {
        incr sent [$tcp set ndatapack_]
        incr again [$tcp set nrexmitpack_]
        incr timeouts [$tcp set nrexmit_]
    }
    set arrived [$bottleneck set parrivals_]
    set dropped [$bottleneck set pdrops_]
    set other 0
    foreach monitor $other_drops { incr other [$monitor set pdrops_] }
    set hops [expr {[packet_hops] - $hops_before}]
    print_row $flavour [format "%s,%s,%s,%.0f,%.6f,%.5f,%s,%d,%d,%d,%d,%d,%d,%d,%.2f,%.2f" \
        $flavour $seed $duration $total [expr {double($dropped) / $arrived}] \
        [jain $goodputs] [join $pairs ,] $arrived $dropped $other \
        $sent $again $timeouts $hops $cpu $wall]
    exit 0
}

$ns run
