// Ten pairs of hosts share one bottleneck; fifty bulk TCP flows a pair.
//
//   dumbbell [--flavour=TcpLinuxReno] [--seed=1] [--duration=3] [--flows=50]
//
// Pair i (1 .. 10) has 155 Mb/s access links of 2i ms at both ends; the
// bottleneck is 622 Mb/s, 10 ms.  Every queue holds 1000 waiting packets.
// Flows start uniformly in the first second.  Prints a line of column names
// and a line of CSV.

#include "common.h"

#include <cstdio>

using namespace ns3;
using namespace reference;

int
main(int argc, char* argv[])
{
    const uint32_t segment = 1460;
    const uint32_t window = 1000;
    const uint32_t pairs = 10;
    std::string flavour = "TcpLinuxReno";
    uint32_t seed = 1;
    uint32_t flows = 50;
    double duration = 3;
    CommandLine command(__FILE__);
    command.AddValue("flavour", "TcpLinuxReno, TcpNewReno or another ns-3 class", flavour);
    command.AddValue("seed", "seed of the starting times", seed);
    command.AddValue("duration", "simulated seconds", duration);
    command.AddValue("flows", "flows a pair", flows);
    command.Parse(argc, argv);

    ConfigureTcp(flavour, segment, window);
    RngSeedManager::SetRun(seed);

    auto link = MakeLinks("1000p");
    NodeContainer routers;
    NodeContainer sources;
    NodeContainer targets;
    routers.Create(2);
    sources.Create(pairs);
    targets.Create(pairs);
    InternetStackHelper stack;
    Ipv4StaticRoutingHelper routing;
    stack.SetRoutingHelper(routing);
    stack.SetIpv6StackInstall(false);
    stack.Install(routers);
    stack.Install(sources);
    stack.Install(targets);

    // A host's default is its router, a router's default the other router;
    // the networks of its own links it knows.
    const auto setDefault = [&](Ptr<Node> node, Ipv4Address next, uint32_t interface) {
        routing.GetStaticRouting(node->GetObject<Ipv4>())->SetDefaultRoute(next, interface);
    };
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    link.SetDeviceAttribute("DataRate", StringValue("622Mbps"));
    link.SetChannelAttribute("Delay", StringValue("10ms"));
    const auto bottleneck = Connect(link, routers.Get(0), routers.Get(1));
    const auto middle = AssignAddresses(addresses, bottleneck);
    setDefault(routers.Get(0), middle.GetAddress(1), middle.Get(0).second);
    setDefault(routers.Get(1), middle.GetAddress(0), middle.Get(1).second);

    link.SetDeviceAttribute("DataRate", StringValue("155Mbps"));
    auto starts = CreateObject<UniformRandomVariable>();
    std::vector<Ptr<PacketSink>> sinks;
    NetDeviceContainer others(bottleneck.Get(1));
    for (uint32_t i = 0; i < pairs; ++i)
    {
        link.SetChannelAttribute("Delay", TimeValue(MilliSeconds(2 * (i + 1))));
        const auto left = Connect(link, sources.Get(i), routers.Get(0));
        const auto right = Connect(link, targets.Get(i), routers.Get(1));
        const auto near = AssignAddresses(addresses, left);
        const auto far = AssignAddresses(addresses, right);
        setDefault(sources.Get(i), near.GetAddress(1), near.Get(0).second);
        setDefault(targets.Get(i), far.GetAddress(1), far.Get(0).second);
        others.Add(left);
        others.Add(right);
        for (uint32_t j = 0; j < flows; ++j)
        {
            sinks.push_back(AddFlow(sources.Get(i),
                                    targets.Get(i),
                                    far.GetAddress(0),
                                    1000 + j,
                                    segment,
                                    starts->GetValue(0, 1)));
        }
    }

    const Cost cost = RunUntil(duration);

    std::vector<double> goodputs;
    std::vector<double> pairGoodputs(pairs, 0.0);
    double total = 0;
    for (size_t i = 0; i < sinks.size(); ++i)
    {
        goodputs.push_back(sinks[i]->GetTotalRx() * 8.0 / duration);
        pairGoodputs[i / flows] += goodputs.back();
        total += goodputs.back();
    }
    Drops middleDrops;
    middleDrops.Add(bottleneck.Get(0));
    Drops other;
    for (uint32_t i = 0; i < others.GetN(); ++i)
    {
        other.Add(others.Get(i));
    }
    std::printf("flavour,seed,duration_s,goodput_bps,loss_ratio,jain,");
    for (uint32_t i = 1; i <= pairs; ++i)
    {
        std::printf("pair%u_goodput_bps,", i);
    }
    std::printf("bottleneck_arrived,bottleneck_dropped,other_dropped,"
                "packet_hops,events,cpu_s,wall_s\n");
    std::printf("%s,%u,%g,%.0f,%.6f,%.5f,",
                flavour.c_str(), seed, duration, total, middleDrops.Ratio(), Jain(goodputs));
    for (const double goodput : pairGoodputs)
    {
        std::printf("%.0f,", goodput);
    }
    std::printf("%llu,%llu,%llu,%llu,%llu,%.3f,%.3f\n",
                (unsigned long long)middleDrops.offered,
                (unsigned long long)middleDrops.dropped,
                (unsigned long long)other.dropped,
                (unsigned long long)packetHops,
                (unsigned long long)Simulator::GetEventCount(),
                cost.cpu,
                cost.wall);
    Simulator::Destroy();
    return 0;
}
