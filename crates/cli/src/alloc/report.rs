//! What was counted, for people: a histogram of each kind of allocation by size, and who asked.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use super::arguments::{Asked, By};
use super::counts::{Counts, Entry, Function, Zend};
use super::launch::Ended;
use super::names::Names;
use crate::quantize::{Grouped, Quantized};

/// Functions that are shown together: those that ask, and the one that gives back.
struct Kind {
    title: &'static str,
    asks: &'static [Function],
    gives_back: Function,
}

const KINDS: [Kind; 3] = [
    Kind {
        title: "C library: malloc, calloc, realloc, memalign",
        asks: &[Function::Malloc, Function::Calloc, Function::Realloc, Function::Memalign],
        gives_back: Function::Free,
    },
    Kind {
        title: "kernel: mmap, mremap",
        asks: &[Function::Mmap, Function::Mremap],
        gives_back: Function::Munmap,
    },
    Kind {
        title: "PHP's own allocator: emalloc and its family, erealloc",
        asks: &[Function::Emalloc, Function::Erealloc],
        gives_back: Function::Efree,
    },
];

/// The report.
pub(super) fn text(counts: &Counts, names: &mut Names, asked: &Asked, ended: Ended) -> String {
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = head(&mut text, counts, ended);
    let marked = counts.entries.iter().map(|entry| entry.stretch).filter(|stretch| *stretch > 0);
    let stretches = if asked.marks { marked.collect() } else { BTreeSet::from([0]) };
    if stretches.is_empty() {
        text.push_str("\nBetween marks (from umask(0701) to umask(0700)) nothing was asked for.\n");
    }
    for stretch in stretches {
        if asked.marks {
            let _ = writeln!(text, "\n=== stretch {stretch}, from umask(070{stretch}) on");
        }
        for kind in &KINDS {
            let entries = counts.entries.iter().filter(|entry| entry.stretch == stretch);
            let _ = section(&mut text, kind, entries, names, asked);
        }
    }
    if let Some(why) = unseen(counts.zend) {
        let _ = writeln!(text, "\n{why}");
    }
    text
}

fn head(text: &mut String, counts: &Counts, ended: Ended) -> fmt::Result {
    write!(text, "{}\nended with {}", counts.command, ended.describe())?;
    if counts.processes > 1 {
        let forked = number(counts.processes - 1, "fork");
        write!(text, "; counted with it: {forked}")?;
    }
    writeln!(text)?;
    if ended.is_by_signal() {
        writeln!(text, "What follows was counted until then.")?;
    } else if !counts.has_ended {
        writeln!(
            text,
            "Its end was not seen: it went on as another program, which did not load the library that counts, or ended by a system call of its own. What follows was counted until then."
        )?;
    }
    Ok(())
}

/// Why PHP's own allocator was not seen in a program that has it.
fn unseen(zend: Zend) -> Option<&'static str> {
    Some(match zend {
        Zend::Seen | Zend::Absent | Zend::NotAsked => return None,
        Zend::Replaced => {
            "PHP's own allocator was turned off (USE_ZEND_ALLOC=0): what it would have given is among the C library's."
        }
        Zend::Threads => "PHP's own allocator was not seen: this PHP has threads.",
        Zend::Debug => "PHP's own allocator was not seen: this PHP is one for debugging.",
    })
}

/// Calls and their bytes, and the calls by size.
#[derive(Default)]
struct Sum {
    calls: u64,
    bytes: u64,
    sizes: Quantized,
}

impl Sum {
    fn add(&mut self, entry: &Entry) {
        self.calls += entry.calls;
        self.bytes = self.bytes.saturating_add(entry.bytes);
        self.sizes.add(entry.least, entry.calls);
    }

    /// For a table.
    fn columns(&self) -> String {
        format!("{:>14} {:>16} ", Grouped(self.calls), Grouped(self.bytes))
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} for {}", number(self.calls, "call"), number(self.bytes, "byte"))
    }
}

/// So many of something.
fn number(number: u64, of: &str) -> String {
    format!("{} {of}{}", Grouped(number), if number == 1 { "" } else { "s" })
}

fn section<'e>(
    text: &mut String,
    kind: &Kind,
    entries: impl Iterator<Item = &'e Entry>,
    names: &mut Names,
    asked: &Asked,
) -> fmt::Result {
    let (mut all, mut given_back) = (Sum::default(), Sum::default());
    let mut callers: HashMap<Vec<String>, Sum> = HashMap::new();
    for entry in entries {
        if entry.function == kind.gives_back {
            given_back.add(entry);
        } else if kind.asks.contains(&entry.function) {
            all.add(entry);
            if asked.by != By::Size {
                callers.entry(names.callers(&entry.frames)).or_default().add(entry);
            }
        }
    }
    if all.calls == 0 && given_back.calls == 0 {
        return Ok(());
    }
    writeln!(text, "\n--- {}", kind.title)?;
    writeln!(text, "{all}; {} of {}", number(given_back.calls, "call"), kind.gives_back.name())?;
    if asked.by != By::Caller {
        write!(text, "\n{:>14}  {:-^40} calls\n{}", "bytes", "", all.sizes)?;
    }
    let mut callers: Vec<(Vec<String>, Sum)> = callers.into_iter().collect();
    callers.sort_by(|(a, of_a), (b, of_b)| {
        (of_b.bytes, of_b.calls).cmp(&(of_a.bytes, of_a.calls)).then_with(|| a.cmp(b))
    });
    let left_out = callers.split_off(asked.top.min(callers.len()));
    match asked.by {
        By::Size => return Ok(()),
        By::Both => table(text, &callers)?,
        By::Caller => {
            for (caller, sum) in &callers {
                write!(text, "\n{}\n{sum}\n{}", caller.join("\n  < "), sum.sizes)?;
            }
        }
    }
    if !left_out.is_empty() {
        let sum = |of: fn(&Sum) -> u64| left_out.iter().map(|(_, sum)| of(sum)).sum();
        let sum = Sum { calls: sum(|it| it.calls), bytes: sum(|it| it.bytes), ..Sum::default() };
        let callers = u64::try_from(left_out.len()).unwrap_or(u64::MAX);
        let callers = number(callers, "further caller");
        match asked.by {
            By::Caller => writeln!(text, "\n{callers} (--top): {sum}")?,
            _ => writeln!(text, "{} {callers} (--top)", sum.columns())?,
        }
    }
    Ok(())
}

fn table(text: &mut String, callers: &[(Vec<String>, Sum)]) -> fmt::Result {
    if !callers.is_empty() {
        writeln!(text, "\n{:>14} {:>16}  caller", "calls", "bytes")?;
    }
    for (caller, sum) in callers {
        let indented = caller.join(&format!("\n{:33}< ", ""));
        writeln!(text, "{} {indented}", sum.columns())?;
    }
    Ok(())
}
