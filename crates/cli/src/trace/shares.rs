//! Whose the time was.

use std::ops::AddAssign;

/// How much of the time was whose, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shares {
    /// The server's.
    pub(super) server_us: u64,
    /// That of whatever is between, and of looking up names.
    pub(super) network_us: u64,
    /// The client's own: it waited for nothing.
    pub(super) client_us: u64,
}

impl Shares {
    pub(super) fn total_us(&self) -> u64 {
        self.server_us.saturating_add(self.network_us).saturating_add(self.client_us)
    }

    /// Adds a wait of which at most so much was the network's; the rest was the server's.
    pub(super) fn add_reply(&mut self, us: u64, network_us: u64) {
        let network_us = network_us.min(us);
        self.network_us = self.network_us.saturating_add(network_us);
        self.server_us = self.server_us.saturating_add(us - network_us);
    }
}

impl AddAssign for Shares {
    fn add_assign(&mut self, other: Shares) {
        self.server_us = self.server_us.saturating_add(other.server_us);
        self.network_us = self.network_us.saturating_add(other.network_us);
        self.client_us = self.client_us.saturating_add(other.client_us);
    }
}
