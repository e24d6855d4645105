// The fat tree of ns3/fat_tree.cc in htsim: k = 8 (128 hosts, 80 switches), a bulk
// TCP flow from every host to another, a random permutation in which no host keeps
// its place.
//
//   fat_tree [SEED [SECONDS [K [FLOWS_A_HOST [WARMUP]]]]]
//
// Links are 10 Gb/s, 0.5 us; queues hold 100 packets; segments are 8960 bytes, and
// windows at most 500 of them.  Each flow takes one of the shortest paths at random,
// and its acknowledgments one back.  All flows of a host go to the same one.  Flows
// start uniformly in the first millisecond.

#include "common.h"

#include "config.h"
#include "fat_tree_topology.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

// htsim's topologies refer to it.
EventList eventlist;

int
main(int argc, char* argv[])
{
    const uint32_t segment = 8960;
    const unsigned seed = argc > 1 ? std::atoi(argv[1]) : 1;
    const double duration = argc > 2 ? std::atof(argv[2]) : 0.1;
    const uint32_t k = argc > 3 ? std::atoi(argv[3]) : 8;
    const uint32_t flows_a_host = argc > 4 ? std::atoi(argv[4]) : 1;
    const double warmup = argc > 5 ? std::atof(argv[5]) : 0;
    const uint32_t hosts = k * k * k / 4;
    std::mt19937 random(seed);
    srand(seed);

    Packet::set_packet_size(segment);
    FatTreeTopology::set_tiers(3);
    FatTreeTopology topology(hosts, speedFromMbps(10000.0), memFromPkt(100), nullptr, &eventlist,
                             nullptr, RANDOM, timeFromUs(0.5), 0, FAIR_PRIO);

    std::vector<uint32_t> partner(hosts);
    std::iota(partner.begin(), partner.end(), 0);
    const auto keeps_a_place = [&] {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            if (partner[host] == host)
            {
                return true;
            }
        }
        return false;
    };
    while (keeps_a_place())
    {
        std::shuffle(partner.begin(), partner.end(), random);
    }

    Flows flows(eventlist, segment, 500, duration);
    std::uniform_real_distribution<> starts(0.0, 1e-3);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        const auto& there = *topology.get_bidir_paths(host, partner[host], false);
        const auto& back = *topology.get_bidir_paths(partner[host], host, false);
        for (uint32_t flow = 0; flow < flows_a_host; ++flow)
        {
            const Route& one_way = *there[random() % there.size()];
            const Route& other_way = *back[random() % back.size()];
            flows.Add(one_way, other_way, starts(random));
        }
    }
    flows.Run(warmup);
    return 0;
}
