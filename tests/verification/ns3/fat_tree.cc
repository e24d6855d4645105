// A fat tree of k = 8 (128 hosts, 80 switches) with a bulk TCP flow from every
// host to another: a random permutation in which no host keeps its place.
//
//   fat_tree [--flavour=TcpLinuxReno] [--seed=1] [--duration=0.02]
//
// Links are 10 Gb/s, 0.5 us; queues hold 100 waiting packets; segments are 8960
// bytes.  Every switch sends all packets for one destination along one random
// minimum-hop link.  Flows start uniformly in the first millisecond.  Prints a
// line of column names and a line of CSV.

#include "common.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

using namespace ns3;
using namespace reference;

// Forwards by a table from destination address to interface.  The routing
// protocols of ns-3 search lists of routes; a table is quicker.
class TableRouting : public Ipv4RoutingProtocol
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id =
            TypeId("reference::TableRouting").SetParent<Ipv4RoutingProtocol>();
        return id;
    }

    void SetRoute(Ipv4Address destination, uint32_t interface)
    {
        auto route = Create<Ipv4Route>();
        route->SetDestination(destination);
        route->SetGateway(Ipv4Address::GetZero());
        route->SetSource(m_ipv4->GetAddress(1, 0).GetLocal());
        route->SetOutputDevice(m_ipv4->GetNetDevice(interface));
        m_routes[destination.Get() - 0x0a000000] = route;
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>,
                               const Ipv4Header& header,
                               Ptr<NetDevice>,
                               Socket::SocketErrno& error) override
    {
        auto route = Find(header.GetDestination());
        error = route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
        return route;
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    UnicastForwardCallback forward,
                    MulticastForwardCallback,
                    LocalDeliverCallback deliver,
                    ErrorCallback) override
    {
        const uint32_t interface = m_ipv4->GetInterfaceForDevice(device);
        if (m_ipv4->IsDestinationAddress(header.GetDestination(), interface))
        {
            deliver(packet, header, interface);
            return true;
        }
        const auto route = Find(header.GetDestination());
        if (!route)
        {
            return false;
        }
        forward(route, packet, header);
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override {}
    void NotifyInterfaceDown(uint32_t) override {}
    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void SetIpv4(Ptr<Ipv4> ipv4) override { m_ipv4 = ipv4; }
    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}

  private:
    Ptr<Ipv4Route> Find(Ipv4Address destination) const
    {
        const uint32_t index = destination.Get() - 0x0a000000;
        return index < m_routes.size() ? m_routes[index] : nullptr;
    }

    Ptr<Ipv4> m_ipv4;
    // Host links have the first networks: four addresses each, the host's first.
    std::vector<Ptr<Ipv4Route>> m_routes{4 * 128 + 4};
};

class TableRoutingHelper : public Ipv4RoutingHelper
{
  public:
    TableRoutingHelper* Copy() const override { return new TableRoutingHelper(*this); }

    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node>) const override
    {
        return CreateObject<TableRouting>();
    }
};

int
main(int argc, char* argv[])
{
    const uint32_t k = 8;
    const uint32_t half = k / 2;
    const uint32_t hosts = k * half * half;
    const uint32_t segment = 8960;
    const uint32_t window = 500;
    std::string flavour = "TcpLinuxReno";
    uint32_t seed = 1;
    double duration = 0.02;
    CommandLine command(__FILE__);
    command.AddValue("flavour", "TcpLinuxReno, TcpNewReno or another ns-3 class", flavour);
    command.AddValue("seed", "seed of permutation, paths and starting times", seed);
    command.AddValue("duration", "simulated seconds", duration);
    command.Parse(argc, argv);

    ConfigureTcp(flavour, segment, window);
    RngSeedManager::SetRun(seed);

    auto link = MakeLinks("100p");
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(500)));
    NodeContainer host;
    NodeContainer edge;
    NodeContainer aggregation;
    NodeContainer core;
    host.Create(hosts);
    edge.Create(k * half);
    aggregation.Create(k * half);
    core.Create(half * half);
    InternetStackHelper stack;
    stack.SetRoutingHelper(TableRoutingHelper());
    stack.SetIpv6StackInstall(false);
    for (const auto& nodes : {host, edge, aggregation, core})
    {
        stack.Install(nodes);
    }

    // The interface of the first node that leads to the second.
    std::map<std::pair<Ptr<Node>, Ptr<Node>>, uint32_t> towards;
    std::vector<Ipv4Address> address;
    NetDeviceContainer all;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const auto connect = [&](Ptr<Node> below, Ptr<Node> above) {
        const auto devices = Connect(link, below, above);
        const auto interfaces = AssignAddresses(addresses, devices);
        towards[{below, above}] = interfaces.Get(0).second;
        towards[{above, below}] = interfaces.Get(1).second;
        all.Add(devices);
        return interfaces.GetAddress(0);
    };
    for (uint32_t h = 0; h < hosts; ++h)
    {
        address.push_back(connect(host.Get(h), edge.Get(h / half)));
    }
    for (uint32_t p = 0; p < k; ++p)
    {
        for (uint32_t a = 0; a < half; ++a)
        {
            const auto middle = aggregation.Get(p * half + a);
            for (uint32_t i = 0; i < half; ++i)
            {
                connect(edge.Get(p * half + i), middle);
                connect(middle, core.Get(a * half + i));
            }
        }
    }

    // Routes: up along a random link, down along the only one.
    auto random = CreateObject<UniformRandomVariable>();
    const auto pick = [&](uint32_t n) { return random->GetInteger(0, n - 1); };
    const auto route = [&](Ptr<Node> from, uint32_t to, Ptr<Node> next) {
        DynamicCast<TableRouting>(from->GetObject<Ipv4>()->GetRoutingProtocol())
            ->SetRoute(address[to], towards.at({from, next}));
    };
    for (uint32_t d = 0; d < hosts; ++d)
    {
        const uint32_t leaf = d / half;
        const uint32_t pod = leaf / half;
        for (uint32_t c = 0; c < half * half; ++c)
        {
            route(core.Get(c), d, aggregation.Get(pod * half + c / half));
        }
        for (uint32_t i = 0; i < k * half; ++i)
        {
            route(aggregation.Get(i),
                  d,
                  i / half == pod ? edge.Get(leaf) : core.Get(i % half * half + pick(half)));
            route(edge.Get(i),
                  d,
                  i == leaf ? host.Get(d) : aggregation.Get(i / half * half + pick(half)));
        }
        for (uint32_t h = 0; h < hosts; ++h)
        {
            if (h != d)
            {
                route(host.Get(h), d, edge.Get(h / half));
            }
        }
    }

    // A permutation without fixed points: shuffle until there is none.
    std::vector<uint32_t> target(hosts);
    bool fixed = true;
    while (fixed)
    {
        std::iota(target.begin(), target.end(), 0);
        for (uint32_t i = hosts - 1; i > 0; --i)
        {
            std::swap(target[i], target[pick(i + 1)]);
        }
        fixed = false;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            fixed = fixed || target[i] == i;
        }
    }
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        sinks.push_back(AddFlow(host.Get(i),
                                host.Get(target[i]),
                                address[target[i]],
                                1000,
                                segment,
                                random->GetValue(0, 0.001)));
    }

    const Cost cost = RunUntil(duration);

    std::vector<double> goodputs;
    double total = 0;
    for (const auto& sink : sinks)
    {
        goodputs.push_back(sink->GetTotalRx() * 8.0 / duration);
        total += goodputs.back();
    }
    Drops drops;
    for (uint32_t i = 0; i < all.GetN(); ++i)
    {
        drops.Add(all.Get(i));
    }
    std::printf("flavour,seed,duration_s,goodput_bps,loss_ratio,jain,"
                "offered_packets,dropped_packets,packet_hops,events,cpu_s,wall_s\n");
    std::printf("%s,%u,%g,%.0f,%.6f,%.5f,%llu,%llu,%llu,%llu,%.3f,%.3f\n",
                flavour.c_str(),
                seed,
                duration,
                total,
                drops.Ratio(),
                Jain(goodputs),
                (unsigned long long)drops.offered,
                (unsigned long long)drops.dropped,
                (unsigned long long)packetHops,
                (unsigned long long)Simulator::GetEventCount(),
                cost.cpu,
                cost.wall);
    Simulator::Destroy();
    return 0;
}
