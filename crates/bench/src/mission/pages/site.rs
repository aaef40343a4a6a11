//! An application behind PHP-FPM and nginx, in a folder and on sockets of its own.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::bench::Bench;
use super::super::workload::Runner;
use super::load::Page;
use crate::process::{cpu_ms, output, parse};

/// How many PHP processes there are.
pub(super) const WORKERS: u32 = 8;
/// Who has not answered by then never will.
const LIMIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

/// The programs, which `scripts/fpm-fetch` and `scripts/apps-fetch` unpack.
pub(super) struct Programs {
    pub(super) fpm: PathBuf,
    pub(super) nginx: PathBuf,
    /// A folder of what PHP-FPM needs and the system may not have.
    pub(super) libraries: String,
    /// The applications' packages.
    pub(super) packages: PathBuf,
}

/// An application that `apps/install.php` has installed.
pub(super) struct Installed {
    folder: PathBuf,
    /// Of PHP's, as its command line takes them.
    settings: Vec<String>,
    libraries: String,
    /// With their names.
    pub(super) pages: Vec<(String, Page)>,
}

/// A running one.
pub(super) struct Site {
    folder: PathBuf,
    fpm: Child,
    nginx: Option<Child>,
}

impl Installed {
    /// Installs an application by the stock extensions, in a new folder.
    ///
    /// # Errors
    /// What went wrong.
    pub(super) fn new(
        name: &str,
        folder: &Path,
        programs: &Programs,
        bench: &Bench,
    ) -> Result<Installed, String> {
        let mut command = bench.stack(Runner::Stock)?.command();
        command.arg("apps/install.php").arg(&programs.packages).arg(folder).arg(name);
        let printed = output(&mut command).map_err(|error| format!("{name}: {error}"))?;
        Installed::read(folder, &printed)
            .ok_or_else(|| format!("{name}: unexpected output: {printed}"))
    }

    fn read(folder: &Path, printed: &str) -> Option<Installed> {
        let report = parse(printed).ok()?;
        let text =
            |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let mut settings = Vec::new();
        for (name, value) in report.get("settings")?.as_object()? {
            let several = std::slice::from_ref(value);
            for one in value.as_array().map_or(several, Vec::as_slice) {
                settings.push(format!("{name}={}", one.as_str()?));
            }
        }
        let host = text(&report, "host")?;
        let page = |page: &Value| {
            let [name, path, mark] = ["name", "path", "mark"].map(|key| text(page, key));
            Some((name?, Page { host: host.clone(), path: path?, mark: mark? }))
        };
        let pages: Option<Vec<_>> = report.get("pages")?.as_array()?.iter().map(page).collect();
        let libraries = text(&report, "libraries")?;
        Some(Installed { folder: folder.to_owned(), settings, libraries, pages: pages? })
    }

    /// Starts PHP-FPM and nginx, and waits until a page comes.
    ///
    /// # Errors
    /// The system's, or what came instead, with all that was logged.
    pub(super) fn start(
        &self,
        page: &Page,
        runner: Runner,
        programs: &Programs,
        bench: &Bench,
    ) -> Result<Site, String> {
        let folder = self.folder.with_extension("site");
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let site = self.run(&folder, runner, programs, bench);
        // What was started goes with the site.
        let site = site.inspect_err(|_| drop(fs::remove_dir_all(&folder)))?;
        let begun = Instant::now();
        loop {
            match page.ask(&site.socket()) {
                Ok(()) => return Ok(site),
                Err(error) if begun.elapsed() > LIMIT => {
                    return Err(format!("{}: {error}\n{}", runner.name(), site.log()));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    fn run(
        &self,
        folder: &Path,
        runner: Runner,
        programs: &Programs,
        bench: &Bench,
    ) -> Result<Site, String> {
        let is_root = output(Command::new("id").arg("-u"))?.trim() == "0";
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| error.to_string()).map(|()| path)
        };
        let fpm_conf = write("fpm.conf", fpm_conf(folder, is_root))?;
        let nginx_conf = write("nginx.conf", nginx_conf(folder, &self.folder, is_root))?;
        // The modules of the command line: the system's PHP-FPM, which need not be there, might have others.
        let scan = "echo getenv('PHP_INI_SCAN_DIR') ?: PHP_CONFIG_FILE_SCAN_DIR;";
        let scan_dir = output(bench.stack(runner)?.command().args(["-r", scan]))?;
        let libraries = format!("{}:{}", programs.libraries, self.libraries);
        // It leaves our process group, so a signal for that would not reach it: it ends with us.
        let mut fpm = bench.on_client(Path::new("setpriv"));
        fpm.args(["--pdeathsig", "TERM"]).arg(&programs.fpm);
        fpm.env("PHP_INI_SCAN_DIR", scan_dir).env("LD_LIBRARY_PATH", libraries);
        for setting in &self.settings {
            fpm.args(["-d", setting]);
        }
        fpm.arg("--fpm-config").arg(fpm_conf).args(["--nodaemonize", "--allow-to-run-as-root"]);
        let mut nginx = Command::new(&programs.nginx);
        nginx.arg("-c").arg(nginx_conf).arg("-p").arg(folder);
        nginx.arg("-e").arg(folder.join("nginx.log"));
        let mut site =
            Site { folder: folder.to_owned(), fpm: start(&mut fpm, folder)?, nginx: None };
        site.nginx = Some(start(&mut nginx, folder)?);
        Ok(site)
    }
}

fn start(command: &mut Command, folder: &Path) -> Result<Child, String> {
    let said = |error: std::io::Error| error.to_string();
    let out = fs::File::options().create(true).append(true).open(folder.join("out"));
    let out = out.map_err(said)?;
    let errors = out.try_clone().map_err(said)?;
    command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().map_err(said)
}

fn fpm_conf(folder: &Path, is_root: bool) -> String {
    let folder = folder.display();
    let user = if is_root { "user = root\ngroup = root\n" } else { "" };
    format!(
        "[global]\nerror_log = {folder}/fpm.log\n[www]\n{user}listen = {folder}/fpm.sock\npm = static\npm.max_children = {WORKERS}\n"
    )
}

/// Every path is the application's `index.php`'s.
fn nginx_conf(folder: &Path, root: &Path, is_root: bool) -> String {
    let (folder, root) = (folder.display(), root.display());
    let mut conf = String::from("daemon off; worker_processes 1; ");
    // Writing to a String does not fail.
    let _ = write!(conf, "pid {folder}/nginx.pid; {}", if is_root { "user root; " } else { "" });
    conf += "events { worker_connections 512; }\nhttp { access_log off;\n";
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(conf, "{kind}_temp_path {folder}/{kind};");
    }
    let _ = writeln!(
        conf,
        "server {{ listen unix:{folder}/http.sock; location / {{ fastcgi_pass unix:{folder}/fpm.sock;"
    );
    let parameters = [
        ("SCRIPT_FILENAME", &*format!("{root}/index.php")),
        ("DOCUMENT_ROOT", &*root.to_string()),
        ("SCRIPT_NAME", "/index.php"),
        ("REQUEST_URI", "$request_uri"),
        ("DOCUMENT_URI", "$document_uri"),
        ("PATH_INFO", "$fastcgi_path_info"),
        ("QUERY_STRING", "$query_string"),
        ("REQUEST_METHOD", "$request_method"),
        ("SERVER_PROTOCOL", "$server_protocol"),
        ("SERVER_NAME", "$host"),
        // It came by a unix socket.
        ("REMOTE_ADDR", "127.0.0.1"),
    ];
    for (name, value) in parameters {
        let _ = writeln!(conf, "fastcgi_param {name} {value};");
    }
    conf + "fastcgi_split_path_info ^(/index\\.php)(/.*)$; } } }\n"
}

impl Site {
    /// Where it is asked for pages.
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join("http.sock")
    }

    /// The CPU time of all PHP processes that serve, in milliseconds.
    ///
    /// # Errors
    /// One of them is gone.
    pub(super) fn cpu_ms(&self) -> Result<f64, String> {
        let master = self.fpm.id();
        let path = format!("/proc/{master}/task/{master}/children");
        let workers = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        workers.split_whitespace().map(cpu_ms).sum()
    }

    /// All that was logged.
    pub(super) fn log(&self) -> String {
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        ["out", "fpm.log", "nginx.log"].map(read).concat()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(mut nginx) = self.nginx.take() {
            stop(&mut nginx);
        }
        stop(&mut self.fpm);
        // It is in the folder of a run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Ends a process that ends its own ones then.
fn stop(child: &mut Child) {
    // A shell has it built in; the program is not everywhere.
    let kill = ["-c", "kill -TERM \"$1\"", "sh"];
    let _ = output(Command::new("sh").args(kill).arg(child.id().to_string()));
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_installed_is_read() {
        let printed = r#"{"host":"h:1","settings":{"extension":["a","b"],"c":"d"},"libraries":"/l",
            "pages":[{"name":"n","path":"/p","mark":"m"}]}"#;
        let installed = Installed::read(Path::new("/f"), printed).unwrap();
        let mut settings = installed.settings;
        settings.sort();
        assert_eq!(settings, ["c=d", "extension=a", "extension=b"]);
        let page = Page { host: "h:1".to_owned(), path: "/p".to_owned(), mark: "m".to_owned() };
        assert_eq!(installed.pages, [("n".to_owned(), page)]);
        assert_eq!(installed.libraries, "/l");
        for wrong in ["", "{}", r#"{"host":"h","settings":{},"libraries":"","pages":[{}]}"#] {
            assert!(Installed::read(Path::new("/f"), wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn only_root_is_named() {
        let of = |is_root| {
            let [folder, root] = ["/f", "/r"].map(Path::new);
            fpm_conf(folder, is_root) + &nginx_conf(folder, root, is_root)
        };
        assert!(of(true).contains("user = root") && of(true).contains("user root;"));
        assert!(!of(false).contains("user"));
        assert!(of(false).contains("SCRIPT_FILENAME /r/index.php;"));
        assert_eq!(of(true).matches('{').count(), of(true).matches('}').count());
    }
}
