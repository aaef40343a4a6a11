//! What a connection is in the middle of, and what it may do next.

use crate::error::Error;

/// What a connection is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A command may be sent.
    Ready,
    /// A query was sent; its response is to be read.
    QuerySent,
    /// The server waits for a file.
    SendingLoadData,
    /// Rows are to be read.
    FetchingData,
    /// The next result's response is to be read.
    NextResultPending,
    /// COM_QUIT was sent.
    QuitSent,
    /// The connection failed; nothing more can be sent or read.
    Broken,
}

/// What is asked of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// To send a command.
    Command,
    /// To read the response to a query.
    ReadResponse,
    /// To read rows.
    ReadRows,
    /// To send a file, or none.
    SendFile,
}

impl State {
    /// Whether a call may be made in this state.
    ///
    /// # Errors
    /// The connection is gone, or the call is out of sync.
    pub(crate) fn allow(self, call: Call) -> Result<(), Error> {
        match (self, call) {
            (State::Ready, Call::Command)
            | (State::QuerySent | State::NextResultPending, Call::ReadResponse)
            | (State::SendingLoadData, Call::SendFile)
            | (State::FetchingData, Call::ReadRows) => Ok(()),
            (State::QuitSent | State::Broken, _) => Err(Error::gone()),
            (
                State::Ready
                | State::QuerySent
                | State::SendingLoadData
                | State::FetchingData
                | State::NextResultPending,
                _,
            ) => Err(Error::OutOfSync),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_allowed_as_documented() {
        let check = |state: State, allowed: &[Call], otherwise: u16| {
            for call in [Call::Command, Call::ReadResponse, Call::ReadRows, Call::SendFile] {
                let code = state.allow(call).err().map(|error| error.code());
                let expected = if allowed.contains(&call) { None } else { Some(otherwise) };
                assert_eq!(code, expected, "{state:?} {call:?}");
            }
        };
        check(State::Ready, &[Call::Command], 2014);
        check(State::QuerySent, &[Call::ReadResponse], 2014);
        check(State::SendingLoadData, &[Call::SendFile], 2014);
        check(State::FetchingData, &[Call::ReadRows], 2014);
        check(State::NextResultPending, &[Call::ReadResponse], 2014);
        check(State::QuitSent, &[], 2006);
        check(State::Broken, &[], 2006);
    }
}
