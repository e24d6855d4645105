// What the ns-3 programs share.
#pragma once

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace reference
{

// Packets that have crossed a link, over all links, data and ACKs.
inline uint64_t packetHops = 0;

inline void
CountHop(ns3::Ptr<const ns3::Packet>)
{
    ++packetHops;
}

// Processor seconds of this process so far, user and system.
inline double
CpuSeconds()
{
    rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_utime.tv_sec + use.ru_stime.tv_sec +
           1e-6 * (use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

struct Cost
{
    double cpu;
    double wall;
};

// Runs the simulation and tells what it cost, set-up left out.
inline Cost
RunUntil(double seconds)
{
    ns3::Simulator::Stop(ns3::Seconds(seconds));
    const double cpu = CpuSeconds();
    const auto wall = std::chrono::steady_clock::now();
    ns3::Simulator::Run();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall;
    return {CpuSeconds() - cpu, passed.count()};
}

// TCP as in the ns-2 scripts, as far as ns-3 lets itself be set: 40 bytes of
// headers, an ACK for every packet, an initial window of 2, an initial
// threshold and a maximum window of `window` segments, a minimum RTO of 0.2 s.
inline void
ConfigureTcp(const std::string& flavour, uint32_t segment, uint32_t window)
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + flavour));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.2)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold",
                       UintegerValue(window * segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window * segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window * segment));
    Config::SetDefault("ns3::PointToPointNetDevice::Mtu", UintegerValue(segment + 40));
}

inline ns3::NetDeviceContainer
Connect(ns3::PointToPointHelper& link, ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b)
{
    const auto devices = link.Install(a, b);
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        devices.Get(i)->TraceConnectWithoutContext("PhyRxEnd", ns3::MakeCallback(&CountHop));
    }
    return devices;
}

// Links with a drop-tail queue of `limit` waiting packets.  Without flow control
// between device and stack no queue discipline is put above that queue, and a
// full queue drops (and counts) packets itself.
inline ns3::PointToPointHelper
MakeLinks(const std::string& limit)
{
    ns3::PointToPointHelper link;
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue(limit));
    link.DisableFlowControl();
    return link;
}

// Gives both ends an address.
inline ns3::Ipv4InterfaceContainer
AssignAddresses(ns3::Ipv4AddressHelper& addresses, const ns3::NetDeviceContainer& devices)
{
    const auto interfaces = addresses.Assign(devices);
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const auto device = devices.Get(i);
        const auto control = device->GetNode()->GetObject<ns3::TrafficControlLayer>();
        NS_ABORT_MSG_IF(control && control->GetRootQueueDiscOnDevice(device),
                        "a queue discipline stands above the drop-tail queue");
    }
    addresses.NewNetwork();
    return interfaces;
}

// One bulk flow; returns its sink.
inline ns3::Ptr<ns3::PacketSink>
AddFlow(ns3::Ptr<ns3::Node> from,
        ns3::Ptr<ns3::Node> to,
        ns3::Ipv4Address address,
        uint16_t port,
        uint32_t segment,
        double start)
{
    using namespace ns3;
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(address, port));
    bulk.SetAttribute("MaxBytes", UintegerValue(0));
    bulk.SetAttribute("SendSize", UintegerValue(segment));
    bulk.Install(from).Start(Seconds(start));
    PacketSinkHelper sink("ns3::TcpSocketFactory",
                          InetSocketAddress(Ipv4Address::GetAny(), port));
    auto apps = sink.Install(to);
    apps.Start(Seconds(0));
    return DynamicCast<PacketSink>(apps.Get(0));
}

struct Drops
{
    uint64_t offered = 0;
    uint64_t dropped = 0;

    void Add(ns3::Ptr<ns3::NetDevice> device)
    {
        const auto queue =
            ns3::DynamicCast<ns3::PointToPointNetDevice>(device)->GetQueue();
        offered += queue->GetTotalReceivedPackets() + queue->GetTotalDroppedPackets();
        dropped += queue->GetTotalDroppedPackets();
    }

    double Ratio() const
    {
        return offered ? double(dropped) / offered : 0;
    }
};

// Jain's index of fairness.
inline double
Jain(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values)
    {
        sum += value;
        squares += value * value;
    }
    return squares > 0 ? sum * sum / (values.size() * squares) : 0;
}

} // namespace reference
