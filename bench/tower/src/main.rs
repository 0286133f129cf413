// SPDX-License-Identifier: Apache-2.0
//
// What does a call that succeeds at once cost through five layers of tower? From the outside:
// timeout of the call, load shedding, concurrency limit, retry with a budget, timeout of the
// attempt. The callable is as small as ours, and may not be inlined either.
//
//     tower_bench CASE REPETITIONS CALLS     prints nanoseconds of processor time per call, one a line

use std::future::{ready, Ready};
use std::sync::Arc;
use std::time::Duration;
use tower::retry::budget::Budget;
use tower::retry::Policy;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

#[inline(never)]
fn answer(question: i64) -> Result<i64, BoxError> {
    std::hint::black_box(Ok(question))
}

#[derive(Clone)]
struct Budgeted {
    budget: Arc<Budget>,
    left: u32,
}

impl Policy<i64, i64, BoxError> for Budgeted {
    type Future = Ready<Self>;

    fn retry(&self, _: &i64, result: Result<&i64, &BoxError>) -> Option<Self::Future> {
        if result.is_ok() {
            self.budget.deposit();
            return None;
        }
        if self.left == 0 || self.budget.withdraw().is_err() {
            return None;
        }
        Some(ready(Budgeted { budget: self.budget.clone(), left: self.left - 1 }))
    }

    fn clone_request(&self, question: &i64) -> Option<i64> {
        Some(*question)
    }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, at: *mut Timespec) -> i32;
}

// Of this thread: others share the machine.
fn processor_nanoseconds() -> f64 {
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut at = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut at) };
    at.seconds as f64 * 1e9 + at.nanoseconds as f64
}

async fn run<S>(service: &mut S, calls: i64)
where
    S: Service<i64, Response = i64, Error = BoxError>,
{
    for question in 0..calls {
        let ready = service.ready().await.expect("ready");
        let found = ready.call(question).await.expect("an answer");
        assert_eq!(std::hint::black_box(found), question);
    }
}

async fn measure<S>(mut service: S, repetitions: usize, calls: i64)
where
    S: Service<i64, Response = i64, Error = BoxError>,
{
    run(&mut service, calls / 10 + 1).await;
    for _ in 0..repetitions {
        let before = processor_nanoseconds();
        run(&mut service, calls).await;
        println!("{:.3}", (processor_nanoseconds() - before) / calls as f64);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<i64>().ok());
    let (Some(case), Some(repetitions), Some(calls)) = (arguments.get(1), number(2), number(3)) else {
        eprintln!("usage: tower_bench bare|five REPETITIONS CALLS");
        std::process::exit(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let callable = tower::service_fn(|question: i64| ready(answer(question)));
    match case.as_str() {
        "bare" => runtime.block_on(measure(callable, repetitions as usize, calls)),
        "five" => {
            let policy = Budgeted { budget: Arc::new(Budget::default()), left: 3 };
            let service = ServiceBuilder::new()
                .timeout(Duration::from_secs(3))
                .load_shed()
                .concurrency_limit(64)
                .retry(policy)
                .timeout(Duration::from_secs(1))
                .service(callable);
            runtime.block_on(async { measure(service, repetitions as usize, calls).await })
        }
        _ => {
            eprintln!("tower_bench: no case {case}");
            std::process::exit(2);
        }
    }
}
