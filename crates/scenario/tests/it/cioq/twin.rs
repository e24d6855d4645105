//! A slow twin: all slots of all switches one after the other, each packet by itself.
//!
//! At one instant slots end first, then packets arrive, then slots begin.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Case;
use super::wire::Wire;

/// How a switch chooses among lightpaths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    Destination,
    RoundRobin,
    EJsq,
}

/// The switches of a twin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) policy: Policy,
    pub(super) speedup: u64,
    pub(super) cell: u64,
    pub(super) payload: u64,
    pub(super) input_buffer: u64,
    pub(super) iterations: u32,
}

/// An input line card.
#[derive(Debug, Default)]
pub(super) struct Card {
    /// By output, or first output of a bundle: packets with their outputs and when they came.
    queues: Vec<VecDeque<(usize, usize, u64)>>,
    /// Cells of the head that have gone, by queue.
    gone: Vec<u64>,
    turn: Vec<usize>,
    sent: Vec<u64>,
    pub(super) packets_in: u64,
    pub(super) packets_out: u64,
    pub(super) cells: u64,
    pub(super) lost: u64,
    pub(super) found: u64,
    pub(super) most: u64,
    pub(super) stays: u64,
    pub(super) longest_stay: u64,
}

#[derive(Debug)]
struct Switch {
    node: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    slot: u64,
    cards: Vec<Card>,
    grants: Vec<usize>,
    accepts: Vec<usize>,
    /// What goes in the slot that has begun: input, queue and output.
    moving: Vec<(usize, usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    SlotEnds(usize),
    /// Over this wire.
    Arrives(usize, usize),
    Offered(usize),
    SlotBegins(usize),
}

/// What a run of a twin gives.
#[derive(Debug)]
pub(super) struct Twin<'a> {
    case: &'a Case,
    rules: Rules,
    pub(super) wires: Vec<Wire>,
    switches: Vec<Switch>,
    events: BinaryHeap<Reverse<(u64, What)>>,
    /// When each packet was delivered.
    pub(super) delivered: Vec<Option<u64>>,
    /// Packets that are on their way or still to come.
    open: usize,
    /// Two packets came to a queue at an instant, and which was first is not for the twin to say.
    pub(super) ambiguous: bool,
    /// How ties among lightpaths are settled; beyond them, the first.
    ties: &'a [usize],
    /// Among how many each tie was.
    pub(super) among: Vec<usize>,
}

impl<'a> Twin<'a> {
    pub(super) fn run(case: &'a Case, rules: Rules, ties: &'a [usize]) -> Self {
        let mut twin = Self {
            case,
            rules,
            wires: Vec::new(),
            switches: Vec::new(),
            events: BinaryHeap::new(),
            delivered: vec![None; case.packets.len()],
            open: case.packets.len(),
            ambiguous: false,
            ties,
            among: Vec::new(),
        };
        twin.build();
        while twin.open > 0 {
            let Reverse((now, what)) = twin.events.pop().expect("slots never end");
            match what {
                What::Offered(packet) => {
                    let from = case.packets[packet].from;
                    let way = twin.wires.iter().position(|wire| wire.from == from);
                    twin.offer(now, way.expect("a host has a link"), packet);
                }
                What::Arrives(wire, packet) => twin.arrive(now, wire, packet),
                What::SlotBegins(switch) => {
                    let that = &mut twin.switches[switch];
                    that.schedule(rules.iterations);
                    let end = now + that.slot;
                    twin.events.push(Reverse((end, What::SlotEnds(switch))));
                    twin.events.push(Reverse((end, What::SlotBegins(switch))));
                }
                What::SlotEnds(switch) => twin.end_slot(now, switch),
            }
        }
        twin
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Card> {
        self.switches.iter().flat_map(|switch| &switch.cards)
    }

    fn build(&mut self) {
        for pipe in &self.case.links {
            for lightpath in 0..pipe.lightpaths as usize {
                let [a, b] = pipe.ends;
                for (from, to) in [(a, b), (b, a)] {
                    let place = (lightpath, pipe.lightpaths as usize);
                    self.wires.push(Wire::new((from, to), pipe, place));
                }
            }
        }
        for (node, name) in self.case.nodes.iter().enumerate() {
            if !name.starts_with('c') {
                continue;
            }
            let numbered = || self.wires.iter().enumerate();
            let inputs: Vec<_> = numbered().filter(|(_, w)| w.to == node).map(|w| w.0).collect();
            let outputs: Vec<_> = numbered().filter(|(_, w)| w.from == node).map(|w| w.0).collect();
            let ports = inputs.iter().chain(&outputs).map(|&wire| self.wires[wire].rate);
            let fabric = self.rules.speedup * ports.max().expect("a switch has links");
            // To the nearest picosecond, halves up.
            let slot = (self.rules.cell * 8_000_000 * 2 + fabric) / (2 * fabric);
            let many = outputs.len();
            let card = || Card {
                queues: vec![VecDeque::new(); many],
                gone: vec![0; many],
                turn: vec![0; many],
                sent: vec![0; many],
                ..Card::default()
            };
            let (grants, accepts) = (vec![0; many], vec![0; inputs.len()]);
            let cards = inputs.iter().map(|_| card()).collect();
            self.events.push(Reverse((0, What::SlotBegins(self.switches.len()))));
            let moving = Vec::new();
            let switch = Switch { node, inputs, outputs, slot, cards, grants, accepts, moving };
            self.switches.push(switch);
        }
        for (packet, datagram) in self.case.packets.iter().enumerate() {
            self.events.push(Reverse((datagram.at, What::Offered(packet))));
        }
    }

    fn offer(&mut self, now: u64, wire: usize, packet: usize) {
        match self.wires[wire].offer(now, self.case.packets[packet].bytes) {
            Some(at) => self.events.push(Reverse((at, What::Arrives(wire, packet)))),
            None => self.open -= 1,
        }
    }

    fn arrive(&mut self, now: u64, wire: usize, packet: usize) {
        let (node, to) = (self.wires[wire].to, self.case.packets[packet].to);
        if node == to {
            self.delivered[packet] = Some(now);
            self.open -= 1;
            return;
        }
        let next = self.next(node, to);
        if let Some(switch) = self.switches.iter().position(|switch| switch.node == node) {
            return self.switch(now, switch, (wire, next), packet);
        }
        let before = self.wires[next].last.replace((now, wire));
        let by_switch = |wire: usize| self.case.nodes[self.wires[wire].from].starts_with('c');
        // Those that come from switches have the order of their links.
        self.ambiguous |=
            before.is_some_and(|(at, other)| at == now && !(by_switch(wire) && by_switch(other)));
        self.offer(now, next, packet);
    }

    /// The first wire on the one way to a host, by a search in breadth.
    fn next(&self, from: usize, to: usize) -> usize {
        let mut seen = vec![false; self.case.nodes.len()];
        let mut edge = VecDeque::from([(to, usize::MAX)]);
        while let Some((node, by)) = edge.pop_front() {
            if node == from {
                return by;
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            let towards = self.wires.iter().enumerate().filter(|(_, wire)| wire.to == node);
            edge.extend(towards.filter(|(_, w)| w.place.0 == 0).map(|(at, w)| (w.from, at)));
        }
        panic!("no way from {from} to {to}");
    }

    /// The places of a destination's router among those with hosts that are reached over a bundle.
    fn rank(&self, node: usize, first: usize, to: usize) -> usize {
        let home = |host: usize| {
            self.wires.iter().find(|wire| wire.from == host).expect("a host has a link").to
        };
        let hosts = (0..self.case.nodes.len()).filter(|&at| self.case.nodes[at].starts_with('h'));
        let mut homes: Vec<usize> = hosts
            .filter(|&host| home(host) != node && self.next(node, host) == first)
            .map(home)
            .collect();
        homes.sort_unstable();
        homes.dedup();
        homes.iter().position(|&at| at == home(to)).expect("it is reached")
    }

    fn switch(&mut self, now: u64, switch: usize, (wire, first): (usize, usize), packet: usize) {
        let Rules { policy, input_buffer, .. } = self.rules;
        let bytes_of = |packet: usize| self.case.packets[packet].bytes;
        let bytes = bytes_of(packet);
        let degree = self.wires[first].place.1;
        let rank = match policy {
            Policy::Destination if degree > 1 => {
                self.rank(self.switches[switch].node, first, self.case.packets[packet].to)
            }
            _ => 0,
        };
        let that = &mut self.switches[switch];
        let input = that.inputs.iter().position(|&at| at == wire).expect("an input");
        // Lightpaths both ways are numbered in turn.
        let output_of = |place: usize| {
            let wire = first + 2 * place;
            that.outputs.iter().position(|&at| at == wire).expect("an output")
        };
        let outputs: Vec<usize> = (0..degree).map(output_of).collect();
        let card = &mut that.cards[input];
        let place = match policy {
            _ if degree == 1 => 0,
            Policy::Destination => rank % degree,
            Policy::RoundRobin => {
                let turn = &mut card.turn[outputs[0]];
                *turn += 1;
                (*turn - 1) % degree
            }
            Policy::EJsq => {
                let least = outputs.iter().map(|&at| card.sent[at]).min().expect("outputs");
                let places = 0..degree;
                let least: Vec<_> = places.filter(|&at| card.sent[outputs[at]] == least).collect();
                let mut chosen = 0;
                if least.len() > 1 {
                    chosen = self.ties.get(self.among.len()).copied().unwrap_or(0);
                    self.among.push(least.len());
                }
                card.sent[outputs[least[chosen]]] += bytes;
                least[chosen]
            }
        };
        card.packets_in += 1;
        let queue = if policy == Policy::EJsq { outputs[0] } else { outputs[place] };
        // A packet whose last cell goes in this slot has left.
        let content = |queue: usize| -> u64 {
            let mut waiting = card.queues[queue].iter().map(|&(packet, ..)| bytes_of(packet));
            let moves = that.moving.iter().any(|&(by, of, _)| (by, of) == (input, queue));
            let cells = |bytes: u64| bytes.div_ceil(self.rules.payload);
            if moves && cells(bytes_of(card.queues[queue][0].0)) == card.gone[queue] + 1 {
                waiting.next();
            }
            waiting.sum()
        };
        if (0..card.queues.len()).map(content).sum::<u64>() + bytes > input_buffer {
            card.lost += 1;
            self.open -= 1;
            return;
        }
        let found = content(queue);
        card.found += found;
        card.most = card.most.max(found + bytes);
        card.queues[queue].push_back((packet, outputs[place], now));
    }

    fn end_slot(&mut self, now: u64, switch: usize) {
        let moving = std::mem::take(&mut self.switches[switch].moving);
        for (input, queue, output) in moving {
            let that = &mut self.switches[switch];
            let card = &mut that.cards[input];
            card.gone[queue] += 1;
            let (packet, _, came) = card.queues[queue][0];
            let cells = self.case.packets[packet].bytes.div_ceil(self.rules.payload);
            if card.gone[queue] < cells {
                continue;
            }
            card.gone[queue] = 0;
            card.queues[queue].pop_front();
            card.packets_out += 1;
            card.cells += cells;
            card.stays += now - came;
            card.longest_stay = card.longest_stay.max(now - came);
            let wire = that.outputs[output];
            self.offer(now, wire, packet);
        }
    }
}

impl Switch {
    /// Request, grant, accept; pointers move in the first iteration alone.
    fn schedule(&mut self, iterations: u32) {
        let (inputs, outputs) = (self.inputs.len(), self.outputs.len());
        let mut asks = vec![vec![None; outputs]; inputs];
        for (input, card) in self.cards.iter().enumerate() {
            for (queue, waiting) in card.queues.iter().enumerate() {
                if let Some((_, output, _)) = waiting.front() {
                    asks[input][*output] = Some(queue);
                }
            }
        }
        let (mut taken_in, mut taken_out) = (vec![false; inputs], vec![false; outputs]);
        for iteration in 0..iterations {
            let mut granted = vec![vec![false; outputs]; inputs];
            for output in (0..outputs).filter(|&output| !taken_out[output]) {
                let from = self.grants[output];
                let turn = (0..inputs).map(|k| (from + k) % inputs);
                let mut asking = turn.filter(|&at| !taken_in[at] && asks[at][output].is_some());
                if let Some(input) = asking.next() {
                    granted[input][output] = true;
                }
            }
            for input in 0..inputs {
                let from = self.accepts[input];
                let mut turn = (0..outputs).map(|k| (from + k) % outputs);
                let Some(output) = turn.find(|&output| granted[input][output]) else { continue };
                taken_in[input] = true;
                taken_out[output] = true;
                self.moving.push((input, asks[input][output].expect("it asked"), output));
                if iteration == 0 {
                    self.grants[output] = (input + 1) % inputs;
                    self.accepts[input] = (output + 1) % outputs;
                }
            }
        }
    }
}
