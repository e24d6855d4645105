//! Requests for lightpaths: they are granted, or blocked.

use units::{Span, Time};
use wire::context::Context;
use wire::event::Event;
use wire::optical::NONE;
use wire::trace::Cause;

use super::LightpathNodes;
use super::state::{Known, Lightpath, Route, Stage};

impl LightpathNodes {
    /// Something waits for a rack to which there is no lightpath: one is asked for.
    pub(super) fn ask(&mut self, context: &mut Context, pair: u32) {
        let known = self.learn(pair);
        let (from, to) = (pair / self.count, pair % self.count);
        let Known { counters, .. } = &mut self.known[known as usize];
        counters.requests += 1;
        let most = self.rules.transceivers;
        if self.racks[from as usize].sends >= most || self.racks[to as usize].receives >= most {
            counters.blocked_transceiver += 1;
            return self.block(context, pair);
        }
        let place = self.unused.pop().unwrap_or_else(|| {
            self.lightpaths.push(Lightpath::NONE);
            u32::try_from(self.lightpaths.len() - 1).expect("fewer than channels and packets")
        });
        let Self { known: all, lightpaths, grid, .. } = self;
        let Known { routes, counters, .. } = &mut all[known as usize];
        let chosen = &mut lightpaths[place as usize].channels;
        let is_free = |route: &Route| {
            context.broken(&route.links).is_none() && grid.assign(&route.fibres, chosen)
        };
        let Some(which) = routes.iter().position(is_free) else {
            counters.blocked_channel += 1;
            self.unused.push(place);
            return self.block(context, pair);
        };
        self.grant(context, (pair, known), (place, which));
    }

    /// A lightpath is reserved, and may be used when the answer is back.
    fn grant(
        &mut self,
        context: &mut Context,
        (pair, known): (u32, u32),
        (place, which): (u32, usize),
    ) {
        let now = context.now();
        let Known { routes, counters, .. } = &mut self.known[known as usize];
        let route = &routes[which];
        counters.granted += 1;
        counters.by_alternate += u64::from(which > 0);
        counters.hops += route.fibres.len() as u64;
        for &fibre in &route.fibres {
            self.fibres[fibre as usize].counters.lightpaths += 1;
        }
        self.racks[(pair / self.count) as usize].sends += 1;
        self.racks[(pair % self.count) as usize].receives += 1;
        let lightpath = &mut self.lightpaths[place as usize];
        lightpath.pair = pair;
        lightpath.route = (known, u32::try_from(which).expect("few routes"));
        lightpath.is_held = true;
        lightpath.counted = now;
        lightpath.begin(now);
        let ready = now + self.rules.set_up(route);
        self.pairs[pair as usize].stage = Stage::Asking(place);
        self.wake(context, pair, ready);
    }

    /// A request is blocked: it is repeated, or what waits is lost.
    fn block(&mut self, context: &mut Context, pair: u32) {
        if let Some(retry) = self.rules.retry {
            self.pairs[pair as usize].stage = Stage::Blocked;
            return self.wake(context, pair, context.now() + retry);
        }
        self.pairs[pair as usize].stage = Stage::Idle;
        let rack = &mut self.racks[(pair / self.count) as usize];
        while let Some(id) = self.pairs[pair as usize].queue.pop(context.packets()) {
            rack.bytes -= u64::from(context.transit(id).bytes);
            rack.counters.lost_blocked += 1;
            context.refuse(id, (rack.fibre, context.now()), Cause::Blocked);
        }
    }

    /// Wakes a pair at an instant, unless it is woken earlier.
    pub(super) fn wake(&mut self, context: &mut Context, number: u32, when: Time) {
        let pair = &mut self.pairs[number as usize];
        if when < pair.due {
            pair.due = when;
            context.wake(when, Event::Alarm(number));
        }
    }

    /// The place of a pair among those that have asked; its routes are computed when it asks for the first time.
    pub(super) fn learn(&mut self, pair: u32) -> u32 {
        let known = self.pairs[pair as usize].known;
        if known != NONE {
            return known;
        }
        self.pairs[pair as usize].known =
            u32::try_from(self.known.len()).expect("fewer than pairs");
        let ends =
            [pair / self.count, pair % self.count].map(|rack| self.racks[rack as usize].node);
        let routes = self.mesh.routes(ends[0].0, ends[1].0, self.rules.routes);
        let route = |fibres: Vec<u32>| {
            let on = fibres.iter().map(|&fibre| &self.fibres[fibre as usize]);
            let (links, delays) =
                on.map(|fibre| (fibre.link, fibre.delay.0)).unzip::<_, _, Vec<_>, Vec<_>>();
            Route { fibres: fibres.into(), links: links.into(), delay: Span(delays.iter().sum()) }
        };
        self.known.push(Known::new(pair, routes.into_iter().map(route).collect()));
        self.pairs[pair as usize].known
    }
}
