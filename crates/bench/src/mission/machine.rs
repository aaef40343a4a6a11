//! The machine that measures, as the kernel tells of it.

use std::fs;
use std::process::Command;

use crate::process::output;

/// Such as "4 x Intel Xeon, 23 GiB, Linux 6.1.0".
pub(super) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let processor = processor_of(&read("/proc/cpuinfo"));
    let memory = memory_of(&read("/proc/meminfo"));
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{processor}, {memory}, Linux {}", kernel.trim())
}

/// How much the machine had to do besides, when this began: the load of the last minute.
pub(super) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

/// The day and the time, and which version of the sources this is, if git knows it.
pub(super) fn when() -> String {
    let said = |command: &mut Command| output(command).map(|it| it.trim().to_owned()).ok();
    let now = said(Command::new("date").arg("+%Y-%m-%d %H:%M")).unwrap_or_default();
    match said(Command::new("git").args(["describe", "--always", "--dirty"])) {
        Some(version) => format!("{now}, sources {version}"),
        None => now,
    }
}

fn processor_of(cpuinfo: &str) -> String {
    let values = |key: &'static str| {
        cpuinfo
            .lines()
            .filter_map(move |line| line.split_once(':').filter(|(name, _)| name.trim() == key))
            .map(|(_, value)| value.trim())
    };
    let model = values("model name").next().unwrap_or("processor");
    format!("{} x {model}", values("processor").count())
}

fn memory_of(meminfo: &str) -> String {
    let kib = meminfo.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.map_or("memory not known".to_owned(), |kib| format!("{} GiB", kib >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read() {
        let cpuinfo =
            "processor\t: 0\nmodel name\t: Some CPU\n\nprocessor\t: 1\nmodel name\t: Some CPU\n";
        assert_eq!(processor_of(cpuinfo), "2 x Some CPU");
        assert_eq!(processor_of(""), "0 x processor");
        assert_eq!(memory_of("MemTotal:       24610000 kB\nMemFree: 1 kB\n"), "23 GiB");
        assert_eq!(memory_of(""), "memory not known");
    }
}
