// The dumbbell of ns3/dumbbell.cc in htsim: ten pairs of hosts share one bottleneck,
// fifty bulk TCP flows a pair.
//
//   dumbbell [SEED [SECONDS [SCALE [WARMUP]]]]
//
// Pair i (1 .. 10) has 155 Mb/s access links of 2i ms at both ends; the bottleneck is
// 622 Mb/s, 10 ms.  Queues hold 1000 packets; segments are 1460 bytes and their headers
// nothing, and windows at most 1000 of them.  Flows start uniformly in the first second.
// Flows, rates and queues are SCALE times as many.

#include "common.h"

#include "config.h"
#include "pipe.h"
#include "queue.h"

#include <cstdlib>
#include <random>

int
main(int argc, char* argv[])
{
    const uint32_t segment = 1460;
    const unsigned seed = argc > 1 ? std::atoi(argv[1]) : 1;
    const double duration = argc > 2 ? std::atof(argv[2]) : 20;
    const uint32_t scale = argc > 3 ? std::atoi(argv[3]) : 1;
    const double warmup = argc > 4 ? std::atof(argv[4]) : 0;
    std::mt19937 random(seed);
    srand(seed);

    EventList& eventlist = EventList::getTheEventList();
    Packet::set_packet_size(segment);
    // Appends a link to a path.
    const auto add_link = [&](Route& path, Queue* queue, Pipe* pipe) {
        path.push_back(queue);
        path.push_back(pipe);
    };
    const auto new_queue = [&](double megabits) {
        return new Queue(speedFromMbps(megabits * scale), memFromPkt(1000 * scale), eventlist,
                         nullptr);
    };
    const auto new_pipe = [&](double ms) { return new Pipe(timeFromMs(ms), eventlist); };
    Queue* middle[] = {new_queue(622), new_queue(622)};
    Pipe* wire[] = {new_pipe(10), new_pipe(10)};

    Flows flows(eventlist, segment, 1000, duration);
    std::uniform_real_distribution<> starts(0.0, 1.0);
    for (uint32_t pair = 1; pair <= 10; ++pair)
    {
        Route paths[2];
        for (int way = 0; way < 2; ++way)
        {
            add_link(paths[way], new_queue(155), new_pipe(2.0 * pair));
            add_link(paths[way], middle[way], wire[way]);
            add_link(paths[way], new_queue(155), new_pipe(2.0 * pair));
        }
        for (uint32_t flow = 0; flow < 50 * scale; ++flow)
        {
            flows.Add(paths[0], paths[1], starts(random));
        }
    }
    flows.Run(warmup);
    return 0;
}
