# What the ns-2 scripts share: agents by name, flows, random streams, counters.

# Loads only the headers that are used; the rest would be carried, zeroed and
# copied with every packet.
proc keep_needed_headers {} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

# The default of a variable of a class.  ns-2 looks each of a hundred up in the
# class and all above it, for every agent anew: with 65,536 flows for minutes.
SplitObject instproc init-instvar name {
    global defaults
    set class [$self info class]
    if {![info exists defaults($class,$name)]} {
        foreach each [concat $class [$class info heritage]] {
            if {![catch {$each set $name} value]} {
                set defaults($class,$name) $value
                break
            }
        }
    }
    if {[info exists defaults($class,$name)]} {
        $self set $name $defaults($class,$name)
    } else {
        $self warn-instvar ${class}::$name
    }
}

proc make_sender {flavour} {
    switch -- $flavour {
        tahoe   { return [new Agent/TCP] }
        reno    { return [new Agent/TCP/Reno] }
        newreno { return [new Agent/TCP/Newreno] }
        sack    { return [new Agent/TCP/Sack1] }
        cubic   { return [new Agent/TCP/Linux] }
        default { puts stderr "unknown flavour: $flavour"; exit 2 }
    }
}

proc make_sink {flavour {delayed 0}} {
    set kind Agent/TCPSink
    if {$flavour eq "sack" || $flavour eq "cubic"} { append kind /Sack1 }
    if {$delayed} { append kind /DelAck }
    return [new $kind]
}

# A bulk flow that starts at a time; returns its sender and its sink.
proc start_flow {ns flavour source target at {delayed 0}} {
    set tcp [make_sender $flavour]
    set sink [make_sink $flavour $delayed]
    $ns attach-agent $source $tcp
    $ns attach-agent $target $sink
    $ns connect $tcp $sink
    choose_control $ns $flavour $tcp
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $at "$ftp start"
    return [list $tcp $sink]
}

# Agent/TCP/Linux must be told its congestion control once time has begun.  It
# then writes `cmd select_ca cubic` to standard output, through a buffer of its
# own: readers of the CSV skip lines that do not begin with the flavour.
proc choose_control {ns flavour tcp} {
    if {$flavour eq "cubic"} {
        $ns at 0 "$tcp select_ca cubic"
    }
}

# Writes a row on a line of its own, whatever stands there already.
proc print_row {flavour row} {
    if {$flavour eq "cubic"} { puts "" }
    puts $row
    flush stdout
}

# A stream of random numbers for one purpose.  Seeds select substreams, which
# are 2^76 numbers apart.  The generator is linear, so seeding it with 1, 2, 3
# would give streams that are multiples of each other.
proc random_stream {seed} {
    set stream [new RNG]
    for {set i 0} {$i < $seed} {incr i} {
        $stream next-substream
    }
    return $stream
}

# The agents draw the phase of their clock from the default stream.
proc seed_default_stream {seed} {
    global defaultRNG
    for {set i 0} {$i < $seed} {incr i} {
        $defaultRNG next-substream
    }
}

# Counts what a queue drops.  Costs nothing for packets that are not dropped.
proc count_drops {ns from to} {
    set monitor [new QueueMonitor]
    set snoop [new SnoopQueue/Drop]
    $snoop set-monitor $monitor
    $snoop target [new Agent/Null]
    [[$ns link $from $to] queue] drop-target $snoop
    return $monitor
}

# Processor seconds of this process so far, user and system, in steps of 10 ms.
proc cpu_seconds {} {
    set file [open /proc/self/stat]
    set stat [read $file]
    close $file
    # The second field, the name, stands in parentheses and may hold spaces.
    set fields [string range $stat [expr {[string last ")" $stat] + 2}] end]
    return [expr {([lindex $fields 11] + [lindex $fields 12]) / 100.0}]
}

# Starts the clocks when the first event is run, after set-up and routing.
proc start_clocks {} {
    global cpu_start wall_start
    set cpu_start [cpu_seconds]
    set wall_start [clock clicks -milliseconds]
}

# Processor and wall-clock seconds since `start_clocks`.
proc read_clocks {} {
    global cpu_start wall_start
    return [list [expr {[cpu_seconds] - $cpu_start}] \
        [expr {([clock clicks -milliseconds] - $wall_start) / 1000.0}]]
}

# Jain's index of fairness: 1 when all are equal, 1/n when one has everything.
proc jain {values} {
    set sum 0.0
    set squares 0.0
    foreach value $values {
        set sum [expr {$sum + $value}]
        set squares [expr {$squares + double($value) * $value}]
    }
    if {$squares == 0} { return 0.0 }
    return [expr {$sum * $sum / ([llength $values] * $squares)}]
}
