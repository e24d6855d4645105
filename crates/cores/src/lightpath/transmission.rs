//! What is sent on lightpaths, and their ends.

use units::Time;
use wire::context::Context;
use wire::event::Event;

use super::LightpathNodes;
use super::state::Stage;

impl LightpathNodes {
    /// A rack with a lightpath sends the next packet, if the channel is free; it closes the lightpath if nothing has waited
    /// for long enough.
    pub(super) fn go_on(&mut self, context: &mut Context, pair: u32, place: u32) {
        let (now, free_at) = (context.now(), self.lightpaths[place as usize].free_at);
        let waits = !self.pairs[pair as usize].queue.is_empty();
        if waits && free_at <= now {
            self.transmit(context, pair, place);
        } else if !waits && free_at + self.rules.hold <= now {
            return self.close(context, pair, place);
        }
        let free_at = self.lightpaths[place as usize].free_at;
        let waits = !self.pairs[pair as usize].queue.is_empty();
        let next = if waits { free_at } else { free_at + self.rules.hold };
        self.wake(context, pair, next);
    }

    /// The first packet of a queue leaves on a lightpath. Its last bit is at the other rack when it has passed all fibres.
    fn transmit(&mut self, context: &mut Context, pair: u32, place: u32) {
        self.count_times(context, place as usize);
        let queue = &mut self.pairs[pair as usize].queue;
        let id = queue.pop(context.packets()).expect("a queue with a packet");
        let (now, transit) = (context.now(), context.transit(id));
        let (bytes, came) = (transit.bytes, transit.arrives);
        let rack = &mut self.racks[(pair / self.count) as usize];
        rack.bytes -= u64::from(bytes);
        rack.counters.leaves(now - came);
        let lightpath = &mut self.lightpaths[place as usize];
        let route = &self.known[lightpath.route.0 as usize].routes[lightpath.route.1 as usize];
        lightpath.busy_from = now;
        lightpath.free_at = now + context.link(route.links[0]).time_to_send(bytes);
        if let Some(link) = context.broken(&route.links) {
            rack.counters.lost_down += 1;
            return context.break_off(link, id, false);
        }
        context.set_out(&route.links, id);
        let arrives = lightpath.free_at + route.delay;
        context.packets_mut().transit_mut(id).arrives = arrives;
        lightpath.on_way.push(context.packets_mut(), id);
        if lightpath.on_way.len() == 1 {
            context.wake(arrives, Event::Alarm(self.count * self.count + place));
        }
    }

    /// A rack tells the nodes of a lightpath that it is over.
    fn close(&mut self, context: &mut Context, pair: u32, place: u32) {
        self.count_times(context, place as usize);
        self.pairs[pair as usize].stage = Stage::Idle;
        let lightpath = &mut self.lightpaths[place as usize];
        let route = &self.known[lightpath.route.0 as usize].routes[lightpath.route.1 as usize];
        let ends = context.now() + route.delay + self.rules.processing(route);
        lightpath.ends = ends;
        context.wake(ends, Event::Alarm(self.count * self.count + place));
    }

    /// The last bit of a packet has come on a lightpath, or its channels are free again.
    pub(super) fn on_light(&mut self, context: &mut Context, place: u32) {
        let now = context.now();
        let lightpath = &mut self.lightpaths[place as usize];
        let first = lightpath.on_way.head();
        if let Some(id) = first.filter(|&id| context.transit(id).arrives == now) {
            lightpath.on_way.pop(context.packets());
            if let Some(next) = lightpath.on_way.head() {
                let arrives = context.transit(next).arrives;
                context.wake(arrives, Event::Alarm(self.count * self.count + place));
            }
            let (from, to) = (lightpath.pair / self.count, lightpath.pair % self.count);
            let route = &self.known[lightpath.route.0 as usize].routes[lightpath.route.1 as usize];
            if let Some(link) = context.broken(&route.links) {
                self.racks[from as usize].counters.lost_down += 1;
                context.break_off(link, id, true);
            } else {
                context.let_pass(&route.links, id);
                self.racks[to as usize].counters.came += 1;
                self.at_rack(context, to, id);
            }
        }
        if self.lightpaths[place as usize].ends <= now {
            self.release(context, place);
        }
    }

    /// The channels of a lightpath are free again.
    fn release(&mut self, context: &mut Context, place: u32) {
        self.count_times(context, place as usize);
        let lightpath = &mut self.lightpaths[place as usize];
        debug_assert_eq!(lightpath.on_way.len(), 0, "its last packet was there before");
        lightpath.is_held = false;
        lightpath.ends = Time::NEVER;
        let route = &self.known[lightpath.route.0 as usize].routes[lightpath.route.1 as usize];
        self.grid.release(&route.fibres, &lightpath.channels);
        self.racks[(lightpath.pair / self.count) as usize].sends -= 1;
        self.racks[(lightpath.pair % self.count) as usize].receives -= 1;
        self.unused.push(place);
    }

    /// Counts for how long a lightpath has been held, and its channels been busy, since this was counted last.
    pub(super) fn count_times(&mut self, context: &mut Context, place: usize) {
        let lightpath = &mut self.lightpaths[place];
        if !lightpath.is_held {
            return;
        }
        let now = context.now();
        let held = now - lightpath.counted;
        lightpath.counted = now;
        let known = &mut self.known[lightpath.route.0 as usize];
        known.counters.held += held.0;
        let route = &known.routes[lightpath.route.1 as usize];
        for &fibre in &route.fibres {
            self.fibres[fibre as usize].counters.held += held.0;
        }
        let until = lightpath.free_at.min(now);
        if lightpath.busy_from < until {
            context.count_busy(&route.links, until - lightpath.busy_from);
            lightpath.busy_from = until;
        }
    }
}
