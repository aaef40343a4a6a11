//! The recorded sessions: the files in `recordings/`, each with the conversation that it is a record of.

use std::path::PathBuf;
use std::{fs, io};

use vaquita_fake_server::{Dialogue, Replay};

use crate::conversation::{ALL, Conversation};

/// A recorded session.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The server's name and the conversation's: `mysql80-native`.
    pub name: String,
    /// What the client said.
    pub conversation: &'static Conversation,
    /// What both sides said.
    pub dialogue: Dialogue,
}

impl Recorded {
    /// The server's part.
    pub fn replay(&self) -> Replay {
        Replay::new(self.dialogue.of_server())
    }
}

/// Where the file of a recorded session is.
pub fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recordings");
    folder.join(format!("{name}.session"))
}

/// The name of a recorded session.
pub fn name(server: &str, conversation: &Conversation) -> String {
    format!("{server}-{}", conversation.name)
}

/// All recorded sessions: one for each conversation and server.
///
/// # Errors
/// A file is missing, or is no recorded session.
pub fn all() -> io::Result<Vec<Recorded>> {
    let pairs = ALL.iter().flat_map(|conversation| {
        conversation.servers.iter().map(move |server| (conversation, name(server, conversation)))
    });
    pairs
        .map(|(conversation, name)| {
            let path = path(&name);
            let wrong = |what: String| io::Error::other(format!("{}: {what}", path.display()));
            let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
            let dialogue = Dialogue::parse(&text).map_err(|line| wrong(format!("line {line}")))?;
            Ok(Recorded { name, conversation, dialogue })
        })
        .collect()
}
