//! What a script sets: options at its head and commands of the shell.

use transport::tcp::congestion::{self, cubic, reno};
use transport::tcp::recovery::{self, newreno, rack, sack};
use transport::{Config, Preset, Profile, TcpOptions, WindowSize, resolve};
use units::Bytes;

use crate::script::{Action, Packet, Script};

/// Settings of the kernel that change nothing here: how data are batched, how much memory sockets have, what
/// happens at other times than in these scripts.
const WITHOUT_EFFECT: [&str; 23] = [
    "tcp_rmem",
    "tcp_wmem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_dsack",
    "tcp_fack",
    "tcp_reordering",
    "tcp_early_retrans",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_ecn_option",
    "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio",
    "tcp_syncookies",
    "tcp_fin_timeout",
    "tcp_no_metrics_save",
    "tcp_moderate_rcvbuf",
    "tcp_window_scaling",
    "tcp_min_rtt_wlen",
    "tcp_invalid_ratelimit",
    "tcp_comp_sack_nr",
    "tcp_abort_on_overflow",
    "tcp_autocorking",
];

/// The default of CUBIC's parameter, set again.
const HYSTART: &str = "3 > /sys/module/tcp_cubic/parameters/hystart_detect";

/// The settings under which a script runs.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// The defaults of the ends.
    pub profile: Profile,
    /// How much later or earlier than told a packet may be sent, in microseconds.
    pub tolerance: u64,
    /// The tick of timestamps in microseconds.
    pub tick: u64,
    /// `tcp_congestion_control`, or what the script asks for by `TCP_CONGESTION`.
    pub congestion: String,
    /// `tcp_sack`.
    pub sack: bool,
    /// `tcp_timestamps`.
    pub timestamps: bool,
    /// `tcp_ecn`: 0 not, 1 always, 2 where the other end asks for it.
    pub ecn: u64,
    /// Whether segments are deemed lost by time (`tcp_recovery` is odd).
    pub rack: bool,
    /// Whether segments are paced (`fq`).
    pub paced: bool,
    /// `tcp_slow_start_after_idle`, off in the scripts' `defaults.sh`.
    pub shrinks_idle: bool,
    /// `tcp_frto`, off where a script does not ask for it.
    pub f_rto: bool,
    /// `initcwnd` of a route.
    pub initial_window: Option<u32>,
    /// `TCP_MAXSEG`.
    pub max_segment: Option<u64>,
}

impl Settings {
    /// The settings of a script, or what of them is not modelled.
    pub fn of(script: &Script) -> Result<Self, String> {
        let mut settings = Self {
            profile: Profile::Linux,
            tolerance: 4000,
            tick: 1000,
            congestion: "cubic".into(),
            sack: true,
            timestamps: true,
            ecn: 0,
            rack: true,
            paced: false,
            shrinks_idle: false,
            f_rto: false,
            initial_window: None,
            max_segment: None,
        };
        for (name, value) in &script.options {
            settings.option(name, value)?;
        }
        for event in &script.events {
            if let Action::Command(text) = &event.action {
                settings.command(text)?;
            }
        }
        Ok(settings)
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "tolerance_usecs" => self.tolerance = number(value)?,
            "tcp_ts_tick_usecs" => self.tick = number(value)?,
            "profile" => {
                self.profile = match value {
                    "linux" => Profile::Linux,
                    "modern" => Profile::Modern,
                    "modern-sack" => Profile::ModernSack,
                    _ => return Err(format!("the profile `{value}`")),
                };
            }
            "mss" | "local_ip" | "remote_ip" | "netmask_ip" | "gateway_ip" | "ip_version"
            | "strict_segments" | "mtu" => {}
            _ => return Err(format!("the option `--{name}`")),
        }
        Ok(())
    }

    /// A command of the shell.
    fn command(&mut self, text: &str) -> Result<(), String> {
        let text = text.replace("\\\n", " ");
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            let line = line.split(" #").next().unwrap_or_default().replace("> /dev/null 2>&1", "");
            let words = words(&line);
            if line.starts_with('#') {
                continue;
            }
            let (command, rest) = words.split_first().ok_or("an empty command")?;
            match command.rsplit('/').next().unwrap_or_default() {
                "defaults.sh" | "true" | "sleep" => {}
                name if name.starts_with("sysctl_restore") => {}
                "sysctl" | "set_sysctls.py" => {
                    for word in rest.iter().filter(|word| !word.starts_with('-')) {
                        self.sysctl(word)?;
                    }
                }
                // The queue that paces.
                "tc" if rest.join(" ").ends_with("dev tun0 root fq") => self.paced = true,
                // Both ways to end slow start, as in the profile.
                "echo" if rest.join(" ") == HYSTART => {}
                "ip" if rest.first().is_some_and(|word| word == "tcp_metrics") => {}
                "ip" if rest.iter().any(|word| word == "initcwnd") => {
                    let at = rest.iter().position(|word| word == "initcwnd").unwrap_or(0);
                    let value = rest.get(at + 1).ok_or("`initcwnd` without a number")?;
                    self.initial_window = value.parse().ok();
                }
                _ => return Err(format!("the command `{}`", line.trim())),
            }
        }
        Ok(())
    }

    fn sysctl(&mut self, word: &str) -> Result<(), String> {
        let (path, value) = word.split_once('=').ok_or_else(|| format!("the setting `{word}`"))?;
        let name = path.rsplit(['.', '/']).next().unwrap_or(path);
        match name {
            "tcp_congestion_control" => self.congestion = value.into(),
            "tcp_sack" => self.sack = number(value)? > 0,
            "tcp_timestamps" => self.timestamps = number(value)? > 0,
            "tcp_ecn" => self.ecn = number(value)?,
            "tcp_recovery" => self.rack = number(value)? % 2 == 1,
            "tcp_frto" => self.f_rto = number(value)? > 0,
            "tcp_slow_start_after_idle" => self.shrinks_idle = number(value)? > 0,
            _ if WITHOUT_EFFECT.contains(&name) => {}
            _ => return Err(format!("the setting `{name}`")),
        }
        Ok(())
    }

    /// The settings of a connection that was negotiated with `peer`'s SYN or SYN-ACK.
    pub fn config(&self, peer: &Packet) -> Result<Config, String> {
        let timestamps = self.timestamps && peer.timestamps().is_some();
        let header = if timestamps { 12 } else { 0 };
        let most = self.max_segment.unwrap_or(1460).min(1460);
        let segment = peer.mss().unwrap_or(536).min(most) - header;
        let law = self.congestion.as_str();
        let (preset, congestion) = match law {
            "cubic" => (Preset::Cubic, congestion::Options::Cubic(cubic::Options::default())),
            "reno" => (Preset::Sack, congestion::Options::Reno(reno::Options::default())),
            _ => return Err(format!("the window rule `{law}`")),
        };
        let recovery = match (self.sack && peer.permits_sack(), self.rack) {
            (false, _) => recovery::Options::NewReno(newreno::Options::default()),
            (true, false) => recovery::Options::Sack(sack::Options::default()),
            (true, true) => recovery::Options::Rack(rack::Options::default()),
        };
        let options = TcpOptions {
            preset: Some(preset),
            congestion: Some(congestion),
            recovery: Some(recovery),
            segment: Some(Bytes(segment)),
            timestamps: Some(timestamps),
            initial_window: self.initial_window.map(|n| WindowSize::Segments(n.into())),
            receive_window: Some(WindowSize::Unlimited),
            handshake: Some(true),
            release: Some(true),
            ecn: Some(self.uses_ecn(peer)),
            pacing: Some(self.paced),
            slow_start_after_idle: Some(self.shrinks_idle),
            f_rto: Some(self.f_rto),
            ..TcpOptions::default()
        };
        resolve(self.profile, &options).map_err(|errors| format!("{errors:?}"))
    }

    /// Whether a connection with the sender of this SYN or SYN-ACK uses explicit congestion notification.
    pub fn uses_ecn(&self, peer: &Packet) -> bool {
        if peer.has('.') {
            self.ecn == 1 && peer.has('E') && !peer.has('W')
        } else {
            self.ecn > 0 && peer.has('E') && peer.has('W')
        }
    }
}

/// The words of a line, in which quotes bind.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("the value `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::parse;

    fn settings(text: &str) -> Result<Settings, String> {
        Settings::of(&parse(text).unwrap())
    }

    #[test]
    fn commands_set_what_is_modelled() {
        let found = settings(
            "--tolerance_usecs=7000\n`../common/defaults.sh\nsysctl -q net.ipv4.tcp_recovery=0\n\
             ../common/set_sysctls.py /proc/sys/net/ipv4/tcp_ecn=2 \\\n /proc/sys/net/ipv4/tcp_wmem=\"1 2 3\"`\n\
             `ip route change 10.0.0.0/8 dev tun0 initcwnd 4`",
        )
        .unwrap();
        assert_eq!((found.tolerance, found.rack, found.ecn), (7000, false, 2));
        assert_eq!(found.initial_window, Some(4));
    }

    #[test]
    fn a_setting_that_is_not_modelled_is_named() {
        let found = settings("`sysctl -q net.ipv4.tcp_mtu_probing=2`").unwrap_err();
        assert_eq!(found, "the setting `tcp_mtu_probing`");
        let found = settings("`tc qdisc replace dev tun0 root pfifo limit 0`").unwrap_err();
        assert!(found.contains("tc qdisc"), "{found}");
    }
}
