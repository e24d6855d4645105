// The fat tree of ns3/fat_tree.cc in htsim: k = 8 (128 hosts, 80 switches), a bulk
// TCP flow from every host to another, a random permutation in which no host keeps
// its place.
//
//   fat_tree [SEED [SECONDS]]
//
// Links are 10 Gb/s, 0.5 us; queues hold 100 packets; segments are 8960 bytes, and
// windows at most 500 of them.  Each flow takes one of the shortest paths at random,
// and its acknowledgments one back.  Flows start uniformly in the first millisecond.
// TCP is htsim's: NewReno's recovery, a timer that is looked at every 10 ms.
//
// A packet-hop is a packet on a link.  htsim does not count them: they are the data
// packets sent and those acknowledged, times the links of their paths, so lost
// packets count for the links that they did not reach, too.  Prints a line of column
// names and a line of CSV.

#include "config.h"
#include "eventlist.h"
#include "fat_tree_topology.h"
#include "network.h"
#include "queue.h"
#include "tcp.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

// htsim's topologies refer to it.
EventList eventlist;

namespace
{

struct Connection
{
    TcpSrc* source;
    TcpSink* sink;
    size_t links;
    size_t links_back;
};

// A path of queues and pipes, with its end appended.
Route*
PathTo(const Route& path, PacketSink* end)
{
    auto* route = new Route(path);
    route->push_back(end);
    return route;
}

} // namespace

int
main(int argc, char* argv[])
{
    const uint32_t hosts = 128;
    const uint32_t segment = 8960;
    const unsigned seed = argc > 1 ? std::atoi(argv[1]) : 1;
    const double duration = argc > 2 ? std::atof(argv[2]) : 0.1;
    std::mt19937 random(seed);
    srand(seed);

    eventlist.setEndtime(timeFromSec(duration));
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

    TcpRtxTimerScanner timers(timeFromMs(10), eventlist);
    std::vector<Connection> connections;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        const auto one_of = [&](uint32_t from, uint32_t to) -> const Route& {
            const auto& paths = *topology.get_bidir_paths(from, to, false);
            return *paths[random() % paths.size()];
        };
        const Route& there = one_of(host, partner[host]);
        const Route& back = one_of(partner[host], host);
        auto* source = new TcpSrc(nullptr, nullptr, eventlist);
        auto* sink = new TcpSink();
        source->set_cwnd(2 * segment);
        source->set_ssthresh(500 * segment);
        source->_maxcwnd = 500 * segment;
        timers.registerTcp(*source);
        const double start = std::uniform_real_distribution<>(0.0, 1e-3)(random);
        source->connect(*PathTo(there, sink), *PathTo(back, source), *sink, timeFromSec(start));
        // A queue and a pipe for each link.
        connections.push_back({source, sink, there.size() / 2, back.size() / 2});
    }

    const std::clock_t began = std::clock();
    uint64_t events = 0;
    while (eventlist.doNextEvent())
    {
        ++events;
    }
    const double cpu = double(std::clock() - began) / CLOCKS_PER_SEC;

    uint64_t hops = 0;
    uint64_t delivered = 0;
    for (const auto& each : connections)
    {
        hops += each.source->_packets_sent / segment * each.links;
        hops += each.sink->_packets / segment * each.links_back;
        delivered += each.sink->_cumulative_ack;
    }
    std::printf("packet_hops,events,cpu_s,goodput_gbps\n%llu,%llu,%.6f,%.4f\n",
                static_cast<unsigned long long>(hops), static_cast<unsigned long long>(events), cpu,
                8e-9 * double(delivered) / duration);
    return 0;
}
