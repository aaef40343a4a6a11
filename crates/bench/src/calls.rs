//! `vaquita-bench calls`: what a call of mysqli or PDO costs on both stacks, in instructions of the process itself.
//!
//! Callgrind counts them: they hardly drift, whatever else the machine does. Each call is made few times and many times; what the
//! second process needs more, it needs for the calls.

use std::fmt;
use std::path::Path;

use crate::arguments::Stacks;
use crate::progress::Progress;
use crate::server::Server;
use crate::stack::{Driver, Stack};

/// How often a call is made: many pages of a buffer's, and as often more.
const COUNTS: [u64; 2] = [500, 2500];
/// A ratio below this is a loss. Where rows come in other pieces from the socket, a call differs by a few instructions.
const LOSS: f64 = 0.99;

/// What a call costs, in instructions.
struct Cost {
    call: String,
    stock: u64,
    vaquita: u64,
}

impl Cost {
    /// How many times cheaper it is on Vaquita.
    fn ratio(&self) -> f64 {
        // Instructions of one call: far below what a float keeps exactly.
        let number = |count: u64| u32::try_from(count).map_or(f64::MAX, f64::from);
        number(self.stock) / number(self.vaquita.max(1))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<26}{:>9}{:>9}{:>8.2}", self.call, self.stock, self.vaquita, self.ratio())
    }
}

/// Counts each call of the script, and prints the table.
///
/// # Errors
/// If anything fails, or if a call costs more than on stock.
pub(crate) fn run(stacks: &Stacks, script: &Path) -> Result<(), String> {
    let server = Server::from_env("mariadb")?;
    let stock = Stack::new(Driver::Stock, &stacks.stock);
    let vaquita = Stack::new(Driver::Vaquita, &stacks.vaquita);
    println!("stock: {}", stock.describe()?);
    println!("Vaquita: {}", vaquita.describe()?);
    let calls = stock.calls(script)?;
    let mut progress = Progress::new(calls.len());
    let mut costs = Vec::new();
    for call in calls {
        progress.now(&call);
        let cost = |stack: &Stack| {
            let mut instructions = [0; 2];
            for (instructions, count) in instructions.iter_mut().zip(COUNTS) {
                *instructions =
                    stack.instructions(script, &[&call, &count.to_string()], &server)?;
            }
            let [few, many] = instructions;
            let [fewer, more] = COUNTS;
            Ok::<_, String>(many.saturating_sub(few) / (more - fewer))
        };
        let (stock, vaquita) = (cost(&stock)?, cost(&vaquita)?);
        costs.push(Cost { call, stock, vaquita });
    }
    drop(progress);
    println!("\n{:<26}{:>9}{:>9}{:>8}", "user instructions a call", "stock", "Vaquita", "ratio");
    costs.iter().for_each(|cost| println!("{cost}"));
    let losses: Vec<_> = costs.iter().filter(|cost| cost.ratio() < LOSS).collect();
    if losses.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = losses.iter().map(|cost| cost.call.as_str()).collect();
    Err(format!("dearer than on stock: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_above_one_is_a_win() {
        let cost = Cost { call: "property".to_owned(), stock: 300, vaquita: 200 };
        assert_eq!(format!("{cost}"), "property                        300      200    1.50");
        assert!(Cost { vaquita: 400, ..cost }.ratio() < LOSS);
    }
}
