// Flows over one link: what BBR makes of its buffer and of random losses.
//
//   bbr [--flavours=TcpBbr,TcpBbr] [--seed=1] [--buffer=167] [--loss=0]
//
// 50 Mb/s, a round trip of 40 ms (167 packets), a drop-tail queue of `buffer`
// waiting packets, a share `loss` of the data packets lost at random.  A flow
// of each flavour starts in 0.4 s, uniformly, each 0.5 s after the one before;
// 60 s, of which the first 20 are left out.  Prints a line of column names and a line of CSV.

#include "common.h"

#include <cstdio>
#include <sstream>

using namespace ns3;
using namespace reference;

namespace
{

double waiting = 0;
uint64_t samples = 0;

void
SampleQueue(Ptr<Queue<Packet>> queue)
{
    waiting += queue->GetNPackets();
    ++samples;
    Simulator::Schedule(MilliSeconds(1), &SampleQueue, queue);
}

void
Note(const std::vector<Ptr<PacketSink>>* sinks, std::vector<uint64_t>* received)
{
    for (const auto& sink : *sinks)
    {
        received->push_back(sink->GetTotalRx());
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    const uint32_t segment = 1448;
    const double warmUp = 20;
    const double duration = 60;
    std::string flavours = "TcpBbr";
    uint32_t seed = 1;
    uint32_t buffer = 167;
    double loss = 0;
    CommandLine command(__FILE__);
    command.AddValue("flavours", "a flow each, by commas: ns-3 classes", flavours);
    command.AddValue("seed", "seed of the starting times and losses", seed);
    command.AddValue("buffer", "waiting packets", buffer);
    command.AddValue("loss", "share of data packets lost at random", loss);
    command.Parse(argc, argv);

    ConfigureTcp("TcpBbr", segment, 10000);
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::PointToPointNetDevice::Mtu", UintegerValue(1500));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    RngSeedManager::SetRun(seed);

    NodeContainer ends;
    ends.Create(2);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(ends);
    auto link = MakeLinks(std::to_string(buffer) + "p");
    link.SetDeviceAttribute("DataRate", StringValue("50Mbps"));
    link.SetChannelAttribute("Delay", StringValue("20ms"));
    const auto devices = Connect(link, ends.Get(0), ends.Get(1));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const auto interfaces = AssignAddresses(addresses, devices);
    if (loss > 0)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }

    auto starts = CreateObject<UniformRandomVariable>();
    std::vector<Ptr<PacketSink>> sinks;
    std::istringstream list(flavours);
    for (std::string flavour; std::getline(list, flavour, ',');)
    {
        const auto at = sinks.size();
        // Sockets take the flavour of their node when they are created, at the start.
        const double start = starts->GetValue(0, 1) * 0.4 + 0.5 * at;
        Simulator::Schedule(Seconds(start) - NanoSeconds(1), [=] {
            ends.Get(0)->GetObject<TcpL4Protocol>()->SetAttribute(
                "SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + flavour)));
        });
        sinks.push_back(AddFlow(
            ends.Get(0), ends.Get(1), interfaces.GetAddress(1), 1000 + at, segment, start));
    }
    const auto queue = DynamicCast<PointToPointNetDevice>(devices.Get(0))->GetQueue();
    std::vector<uint64_t> before;
    Simulator::Schedule(Seconds(warmUp), &SampleQueue, queue);
    Simulator::Schedule(Seconds(warmUp), &Note, &sinks, &before);
    const Cost cost = RunUntil(duration);

    Drops drops;
    drops.Add(devices.Get(0));
    std::vector<double> goodputs;
    double total = 0;
    for (size_t i = 0; i < sinks.size(); ++i)
    {
        goodputs.push_back((sinks[i]->GetTotalRx() - before[i]) * 8.0 / (duration - warmUp));
        total += goodputs.back();
    }
    std::printf("flavours,buffer,loss,seed,goodput_bps,first_share,jain,waiting_packets,"
                "drop_ratio,cpu_s\n");
    for (char& letter : flavours)
    {
        letter = letter == ',' ? '+' : letter;
    }
    std::printf("%s,%u,%g,%u,%.0f,%.4f,%.4f,%.2f,%.6f,%.2f\n",
                flavours.c_str(), buffer, loss, seed, total, goodputs[0] / total, Jain(goodputs),
                waiting / samples, drops.Ratio(), cost.cpu);
    Simulator::Destroy();
    return 0;
}
