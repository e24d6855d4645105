# One bulk TCP flow over a 10 Gb/s link of 50 ms each way, with independent
# (Bernoulli) packet loss on the data direction only.  The ACK direction is
# clean, the queue never fills, and every packet is acknowledged at once.
#
#   ns lossy_path.tcl FLAVOUR P MIN_RTO SEED DURATION
#
# FLAVOUR is tahoe, reno, newreno, sack or cubic; times are in seconds.
# Prints one line of CSV; `ns lossy_path.tcl header` prints the column names.

source [file join [file dirname [info script]] common.tcl]

set columns "flavour,p,min_rto_s,seed,duration_s,acked_packets,goodput_bps,\
throughput_packets_per_s,retransmitted_packets,timeouts"
if {[lindex $argv 0] eq "header"} {
    puts [string map {" " ""} $columns]
    exit 0
}
if {[llength $argv] != 5} {
    puts stderr "usage: ns lossy_path.tcl FLAVOUR P MIN_RTO SEED DURATION"
    exit 2
}
foreach {flavour p min_rto seed duration} $argv break

keep_needed_headers
seed_default_stream $seed

set payload 1460
Agent/TCP set packetSize_ $payload
Agent/TCP set window_ 10000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ $min_rto
# Agent/TCP/Linux has a default of its own for this one.
Agent/TCP/Linux set minrto_ $min_rto

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 10Gb 50ms DropTail
$ns queue-limit $a $b 100000
$ns queue-limit $b $a 100000

set uniform [new RandomVariable/Uniform]
$uniform use-rng [random_stream $seed]
set errors [new ErrorModel]
$errors unit pkt
$errors set rate_ $p
$errors ranvar $uniform
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $a $b

foreach {tcp sink} [start_flow $ns $flavour $a $b 0] break
$ns at $duration report

proc report {} {
    global tcp flavour p min_rto seed duration payload
    # Packet 0 is the SYN, without data: packets 1 .. ack_ carried data.
    set acked [$tcp set ack_]
    if {$acked < 0} { set acked 0 }
    print_row $flavour [format "%s,%s,%s,%s,%s,%d,%.1f,%.4f,%d,%d" \
        $flavour $p $min_rto $seed $duration $acked \
        [expr {double($acked) * $payload * 8 / $duration}] \
        [expr {double([$tcp set ndatapack_]) / $duration}] \
        [$tcp set nrexmitpack_] [$tcp set nrexmit_]]
    exit 0
}

$ns run
