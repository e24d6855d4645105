//! The edge router of an optical network.
//!
//! Towards the core it assembles packets into bursts, in the assembly queues of each forwarding
//! equivalence class; the kind of core launches a released burst and decides what happens to it. Bursts
//! from the core are disassembled, packet by packet in their order, when the **last** bit has arrived.
//! Electronic packets arrive with their last bit, as at a router. An edge may be the endpoint of flows
//! itself: their packets enter the queue at the instant at which the transport sends them.
//!
//! Assumptions: the egress edge needs no header to receive a burst; the ingress edge takes no time
//! to make one; memory is unlimited.

mod class_assembly;
mod classes;

use class_assembly::{Assembling, Queue};
use classes::{Destinations, hash_of};
use optics::{AssemblySpec, Cause, Seen};
use plan::{OpticalPlan, Plan};
use random::Seed;
use transport::Fault;
use units::{Span, Time};
use wire::context::{Context, Controlled, Failure};
use wire::event::Event;
use wire::optical::{Burst, BurstId, Lost};
use wire::packet::{Marks, PacketId};

/// The edge routers of a network, and the assembly queues of their classes.
#[derive(Debug, Clone)]
pub struct Edges {
    spec: AssemblySpec,
    /// Whether bursts pass edges on their path.
    bursts_pass: bool,
    /// How long light waits at the input of a node.
    input_delay: Span,
    /// The length of the time spans in which bytes of each class are counted, if they are.
    span: Option<Span>,
    /// Names the random streams of the classes.
    seed: Seed,
    /// Whether the policy asks for losses, which is an oracle.
    learns: bool,
    /// By number of the edge: which class a packet belongs to.
    destinations: Vec<Destinations>,
    /// By class.
    assembling: Vec<Assembling>,
}

impl Edges {
    /// The edges of a plan; none without an optical part.
    pub fn new(plan: &Plan, seed: Seed) -> Option<Self> {
        let OpticalPlan { assembly, core, .. } = plan.optical.as_ref()?;
        Some(Self {
            spec: assembly.clone(),
            bursts_pass: core.facts().is_packet,
            input_delay: core.facts().input_delay,
            span: plan.throughput_span,
            seed,
            learns: false,
            destinations: Destinations::all(&plan.graph),
            assembling: Vec::new(),
        })
    }

    /// Requests from the context what the assembly policy needs beyond what an edge router sees.
    pub fn ask_oracles(&self, context: &mut Context) {
        if self.spec.policy.facts().reads_windows {
            context.report_windows();
        }
    }

    /// A packet is at an edge: it continues on an electronic link, or it joins an assembly queue. Each
    /// burst that this releases, unless it is lost at random, is passed to `launch` at once.
    #[inline]
    pub fn accept(
        &mut self,
        context: &mut Context,
        edge: u32,
        packet: PacketId,
        mut launch: impl FnMut(&mut Context, BurstId),
    ) {
        let transit = context.transit(packet);
        let (to, bytes) = (transit.to, transit.bytes);
        let Some(class) = self.class(context, edge, packet) else {
            let node = self.destinations[edge as usize].node;
            let routing = context.routing();
            let home = routing.home(to);
            let link = match routing.last_link(to) {
                Some(last) if home == routing.home(node) => last,
                _ => routing.next_link(node, to, || hash_of(node, home)),
            };
            return context.send(link, packet);
        };
        self.learn(context);
        let now = context.now();
        let assembling = &mut self.assembling[class as usize];
        let seen = assembling.seen(context, packet);
        let mut place = assembling.policy.place(now, seen);
        if let Some(fault) = assembling.policy.fault() {
            fail(context, class, fault);
        }
        let number = place.queue;
        if let Some(cause) = assembling.queue(number).assembly.make_room(now, bytes) {
            if let Some(burst) = self.close(context, class, number, cause) {
                launch(context, burst);
            }
            self.learn(context);
            place = self.assembling[class as usize].policy.reopen(now, number, seen);
        }
        let assembling = &mut self.assembling[class as usize];
        let queue = assembling.append(number, now, context.packets_mut(), packet);
        match queue.assembly.on_packet(now, place.since, bytes) {
            Some(cause) => {
                assembling.policy.on_release(number);
                if let Some(burst) = self.close(context, class, number, cause) {
                    launch(context, burst);
                }
            }
            None => queue.arm(context, class, number),
        }
    }

    /// The timer of an assembly queue may be due; returns the burst that it releases, unless it is
    /// lost at random.
    pub fn on_timer(&mut self, context: &mut Context, class: u32, number: u32) -> Option<BurstId> {
        self.learn(context);
        let now = context.now();
        let assembling = &mut self.assembling[class as usize];
        let queue = &mut assembling.queues[number as usize];
        if queue.armed == now {
            queue.armed = Time::NEVER;
        }
        if queue.assembly.on_deadline(now) {
            assembling.policy.on_release(number);
            return self.close(context, class, number, Cause::Timer);
        }
        queue.arm(context, class, number);
        None
    }

    /// Reports the losses that policies need, before any decision of theirs.
    #[inline]
    fn learn(&mut self, context: &mut Context) {
        if self.learns {
            for (class, flow) in context.optical_mut().losses.drain(..) {
                self.assembling[class as usize].policy.on_loss(flow.0);
            }
        }
    }

    /// The waiting packets become a burst, unless it is lost at random.
    fn close(
        &mut self,
        context: &mut Context,
        class: u32,
        queue: u32,
        cause: Cause,
    ) -> Option<BurstId> {
        let now = context.now();
        let assembling = &mut self.assembling[class as usize];
        let opened = assembling.take(queue);
        let optical = context.optical_mut();
        let fec = &mut optical.fecs[class];
        let counters = &mut fec.counters;
        counters.bursts += 1;
        match cause {
            Cause::Size => counters.by_size += 1,
            Cause::Timer => counters.by_timer += 1,
        }
        counters.packets += u64::from(opened.packets);
        counters.bytes += opened.bytes;
        counters.wait += opened.waited(now);
        let struck = assembling.strikes();
        let fibre = fec.path[0];
        let burst = Burst {
            number: optical.released,
            bytes: opened.bytes,
            length: optical.fibres[fibre as usize].length(opened.bytes),
            ready: now,
            start: now,
            fec: class,
            packets: opened.packets,
            first: opened.first,
            fibre,
            hop: 0,
            channel: 0,
            deflections: 0,
            doomed: false,
            early: false,
        };
        let id = context.release_burst(burst, opened.since, cause == Cause::Size);
        if struck {
            context.lose_burst(id, Lost::Random);
            return None;
        }
        Some(id)
    }

    /// Takes the assembly queues of another part of the network.
    pub fn absorb(&mut self, other: &mut Self) {
        self.assembling.append(&mut other.assembling);
    }

    /// Packets waiting in assembly queues.
    pub fn inside(&self) -> u64 {
        self.assembling.iter().map(Assembling::waiting).sum()
    }

    /// The maximum number of non-empty assembly queues of a class.
    pub fn most_queues(&self, class: usize) -> u32 {
        self.assembling[class].waiting_queues.1
    }
}

/// The program of a class cannot go on.
#[cold]
fn fail(context: &mut Context, class: u32, fault: &Fault) {
    let fec = &context.optical().fecs[class];
    let of = Controlled::Queues(fec.ingress, fec.egress);
    context.fail(|at| Failure { of, at, fault: fault.clone() });
}

impl Queue {
    /// Enters the timer unless there is an earlier alarm for it.
    #[inline]
    fn arm(&mut self, context: &mut Context, class: u32, number: u32) {
        if let Some(due) = self.assembly.alarm().filter(|&due| due < self.armed) {
            self.armed = due;
            context.wake(due, Event::Assembly(class, number));
        }
    }
}

impl Assembling {
    /// What the policy of a class sees of a packet.
    #[inline]
    fn seen(&self, context: &Context, packet: PacketId) -> Seen {
        if !self.policy.sees_packets() {
            return Seen { flow: 0, life: 0, resent: false, window: 0 };
        }
        let flow = context.packets().body(packet).flow;
        let marks = context.transit(packet).marks;
        // A lost acknowledgment does not reduce a window.
        let windowed = self.policy.reads_windows() && !marks.has(Marks::BACKWARD);
        Seen {
            flow: flow.0,
            life: context.life(flow).0,
            resent: marks.has(Marks::RESENT),
            window: if windowed { context.window(flow) } else { 0 },
        }
    }
}
