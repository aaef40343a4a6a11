//! What was counted as lines for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::counts::Counts;
use super::names::Names;

/// A line for each stretch, function, size and caller, with tabs: stretch, function, least bytes, calls, bytes, caller. With marks, what is outside of them is left out.
pub(super) fn text(counts: &Counts, names: &mut Names, has_marks: bool) -> String {
    let mut lines: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for entry in counts.entries.iter().filter(|entry| !has_marks || entry.stretch > 0) {
        let caller = names.callers(&entry.frames).join(" < ");
        let sum =
            lines.entry((entry.stretch, entry.function.name(), entry.least, caller)).or_default();
        sum.0 += entry.calls;
        sum.1 = sum.1.saturating_add(entry.bytes);
    }
    let mut text = String::new();
    for ((stretch, function, least, caller), (calls, bytes)) in lines {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{stretch}\t{function}\t{least}\t{calls}\t{bytes}\t{caller}");
    }
    text
}
