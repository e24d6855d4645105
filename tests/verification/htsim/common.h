// What the programs for htsim share: flows, their counters, and the run.
#pragma once

#include "eventlist.h"
#include "network.h"
#include "tcp.h"

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

// Bulk TCP flows.  TCP is htsim's: NewReno's recovery, a timer that is looked at
// every 10 ms.
//
// A packet-hop is a packet on a link.  htsim does not count them: they are the data
// packets sent and those acknowledged, times the links of their paths, so lost
// packets count for the links that they did not reach, too.
class Flows
{
  public:
    Flows(EventList& eventlist, uint32_t segment, uint32_t window, double duration)
        : m_eventlist(eventlist), m_segment(segment), m_window(window), m_duration(duration),
          m_timers(timeFromMs(10), eventlist)
    {
        eventlist.setEndtime(timeFromSec(duration));
    }

    // A flow over paths of queues and pipes, to which their ends are appended.
    void Add(const Route& there, const Route& back, double start)
    {
        auto* source = new TcpSrc(nullptr, nullptr, m_eventlist);
        auto* sink = new TcpSink();
        source->set_cwnd(2 * m_segment);
        source->set_ssthresh(m_window * m_segment);
        source->_maxcwnd = m_window * m_segment;
        m_timers.registerTcp(*source);
        // A queue and a pipe for each link.
        m_flows.push_back({source, sink, there.size() / 2, back.size() / 2});
        auto* data = new Route(there, *sink);
        auto* acks = new Route(back, *source);
        source->connect(*data, *acks, *sink, timeFromSec(start));
    }

    // Runs to the end and prints a line of column names and a line of CSV: packet-hops,
    // events and processor time after the warm-up, goodput over all.
    void Run(double warmup)
    {
        while (m_eventlist.now() < timeFromSec(warmup) && m_eventlist.doNextEvent())
        {
        }
        const uint64_t before = Hops();
        const std::clock_t began = std::clock();
        uint64_t events = 0;
        while (m_eventlist.doNextEvent())
        {
            ++events;
        }
        const double cpu = double(std::clock() - began) / CLOCKS_PER_SEC;
        uint64_t delivered = 0;
        for (const auto& each : m_flows)
        {
            delivered += each.sink->_cumulative_ack;
        }
        std::printf("packet_hops,events,cpu_s,goodput_gbps\n%llu,%llu,%.6f,%.4f\n",
                    static_cast<unsigned long long>(Hops() - before),
                    static_cast<unsigned long long>(events), cpu,
                    8e-9 * double(delivered) / m_duration);
    }

  private:
    struct Flow
    {
        TcpSrc* source;
        TcpSink* sink;
        size_t links;
        size_t links_back;
    };

    uint64_t Hops() const
    {
        uint64_t hops = 0;
        for (const auto& each : m_flows)
        {
            hops += each.source->_packets_sent / m_segment * each.links;
            hops += each.sink->_packets / m_segment * each.links_back;
        }
        return hops;
    }

    EventList& m_eventlist;
    uint32_t m_segment;
    uint32_t m_window;
    double m_duration;
    TcpRtxTimerScanner m_timers;
    std::vector<Flow> m_flows;
};
