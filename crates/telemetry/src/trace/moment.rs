//! When something was: the driver's clock as the time of day, and the time of day as text.

use std::fmt;
use std::io::Write;
use std::time::{Duration, SystemTime};

use rustix::time::{ClockId, clock_gettime};
use time::{Date, Month, OffsetDateTime, Time};

/// How long a text of a moment is: `2026-11-23T09:00:00.123456Z`.
pub(super) const TEXT_BYTES: usize = 27;

/// Microseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

/// The clock that the driver reads (CLOCK_MONOTONIC): what [`super::Tracer`] is told of requests has to be read from it too.
pub fn monotonic() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    // Neither is ever negative.
    Duration::new(now.tv_sec.cast_unsigned(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// How far the time of day is ahead of the driver's clock; somebody may set the time, so that it holds for a while only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset(Duration);

impl Offset {
    /// The one that holds now.
    pub(super) fn now() -> Offset {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Offset(since.saturating_sub(monotonic()))
    }

    /// The time of day at which the driver's clock showed this.
    pub(super) fn moment(self, at: Duration) -> Moment {
        Moment(micros(self.0.saturating_add(at)))
    }
}

/// A time in microseconds.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Moment {
    /// Appends its text.
    pub(super) fn put(self, line: &mut Vec<u8>) {
        let seconds = i64::try_from(self.0 / 1_000_000).unwrap_or(0);
        let moment =
            OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let (year, month, day) = moment.to_calendar_date();
        let (hour, minute, second) = moment.to_hms();
        // Writing to a Vec never fails.
        let _ = write!(
            line,
            "{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}Z",
            u8::from(month),
            self.0 % 1_000_000
        );
    }

    /// Reads a text that [`Moment::put`] has written, and nothing else.
    pub(super) fn parse(text: &[u8]) -> Option<Moment> {
        let text: &[u8; TEXT_BYTES] = text.try_into().ok()?;
        let mut digits = Digits { rest: text };
        let (year, month, day) =
            (digits.take(4, b'-')?, digits.take(2, b'-')?, digits.take(2, b'T')?);
        let (hour, minute) = (digits.take(2, b':')?, digits.take(2, b':')?);
        let (second, micros) = (digits.take(2, b'.')?, digits.take(6, b'Z')?);
        let small = |it: u32| u8::try_from(it).ok();
        let month = Month::try_from(small(month)?).ok()?;
        let date = Date::from_calendar_date(i32::try_from(year).ok()?, month, small(day)?).ok()?;
        let time = Time::from_hms(small(hour)?, small(minute)?, small(second)?).ok()?;
        let seconds = date.with_time(time).assume_utc().unix_timestamp();
        Some(Moment(u64::try_from(seconds).ok()? * 1_000_000 + u64::from(micros)))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(TEXT_BYTES);
        self.put(&mut text);
        to.pad(&String::from_utf8_lossy(&text))
    }
}

/// Numbers of so many digits, each with a sign behind it.
struct Digits<'a> {
    rest: &'a [u8],
}

impl Digits<'_> {
    fn take(&mut self, count: usize, sign: u8) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest.strip_prefix(&[sign])?;
        digits.iter().try_fold(0, |number: u32, digit| {
            digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_moments_are_each_others() {
        for (micros, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_795_424_400_123_456, "2026-11-23T09:00:00.123456Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] {
            let mut text = Vec::new();
            Moment(micros).put(&mut text);
            assert_eq!(String::from_utf8_lossy(&text), expected);
            assert_eq!(Moment::parse(&text), Some(Moment(micros)));
        }
        let mut text = Vec::new();
        Moment(u64::MAX).put(&mut text);
        assert_eq!(text.len(), TEXT_BYTES);
    }

    #[test]
    fn anything_else_is_no_moment() {
        for text in [
            "",
            "2026-11-23T09:00:00.123456",
            "2026-11-23T09:00:00.123456+",
            "2026-13-23T09:00:00.123456Z",
            "2026-02-29T09:00:00.123456Z",
            "2026-11-23T24:00:00.123456Z",
            "2026-11-23T09:00:60.123456Z",
            "2026-11-23 09:00:00.123456Z",
            "2026-11-23T09:00:00.12345xZ",
            "1969-11-23T09:00:00.123456Z",
            "2026-11-23T09:00:00.123456Z ",
        ] {
            assert_eq!(Moment::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_drivers_clock_is_told_as_the_time_of_day() {
        let now = Offset::now().moment(monotonic());
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        assert!(micros(since).abs_diff(now.0) < 60_000_000, "{now:?}");
    }
}
