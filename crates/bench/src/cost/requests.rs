//! What the end of a request costs that publishes metrics: PHP's own web server under callgrind, asked few times and many times.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::output;
use crate::stack::Stack;

/// How many requests; what the second process needs more, it needs for the requests.
const REQUESTS: [u64; 2] = [50, 250];
/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many instructions more a request takes where figures are published at its end.
///
/// # Errors
/// The server doesn't run, or callgrind is not there.
pub(super) fn instructions_of_publishing(stack: &Stack, script: &Path) -> Result<u64, String> {
    let folder = env::temp_dir().join(format!("vaquita-cost-{}-run", process::id()));
    fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let run_dir = format!("vaquita.run_dir={}", folder.display());
    let each = [false, true].map(|is_shared| {
        let shared = format!("vaquita.metrics_shared={}", u8::from(is_shared));
        let stack = stack.with_settings(&[shared, run_dir.clone()]);
        let [few, many] = REQUESTS.map(|count| instructions(&stack, script, count, &folder));
        let [fewer, more] = REQUESTS;
        Ok::<_, String>(many?.saturating_sub(few?) / (more - fewer))
    });
    // What is left of it is in the system's folder for such files.
    let _ = fs::remove_dir_all(&folder);
    let [alone, shared] = each;
    Ok(shared?.saturating_sub(alone?))
}

/// What a server executes that answers so many requests.
fn instructions(stack: &Stack, script: &Path, count: u64, folder: &Path) -> Result<u64, String> {
    let counted = folder.join("counted");
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    let address = free.map_err(|error| error.to_string())?.to_string();
    let mut command = stack.under_callgrind(&counted);
    command.args(["-S", &address]).arg(script);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = command.spawn().map_err(|error| format!("valgrind: {error}"))?;
    let asked =
        wait_for(&address, &mut server).and_then(|()| (0..count).try_for_each(|_| ask(&address)));
    // It ends by itself then, and what was counted is written.
    output(Command::new("kill").args(["-s", "INT", &server.id().to_string()]))?;
    server.wait().map_err(|error| error.to_string())?;
    asked?;
    Stack::counted(&counted)
}

fn wait_for(address: &str, server: &mut Child) -> Result<(), String> {
    let begun = Instant::now();
    while let Err(error) = TcpStream::connect(address) {
        let has_ended = server.try_wait().is_ok_and(|status| status.is_some());
        if has_ended || begun.elapsed() > PATIENCE {
            return Err(format!("PHP's web server doesn't answer: {error}"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn ask(address: &str) -> Result<(), String> {
    let mut answer = String::new();
    let asked = TcpStream::connect(address).and_then(|mut stream| {
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        stream.read_to_string(&mut answer)
    });
    asked.map_err(|error| format!("PHP's web server: {error}"))?;
    if answer.contains(" 200 ") { Ok(()) } else { Err(format!("PHP's web server: {answer}")) }
}
