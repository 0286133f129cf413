// SPDX-License-Identifier: Apache-2.0
//
// What do the textbooks say? Closed forms for queues, in units of the mean service time.
#pragma once

#include <cmath>
#include <vector>

namespace perdure::testing {

// Erlang's loss formula: the share of calls that find all of c workers busy and go away.
inline double erlang_b(int workers, double load) {
    double blocking = 1;
    for (int c = 1; c <= workers; ++c) blocking = load * blocking / (c + load * blocking);
    return blocking;
}

// Erlang's delay formula: the share that must wait.
inline double erlang_c(int workers, double load) {
    const double b = erlang_b(workers, load);
    return b / (1 - load / workers * (1 - b));
}

// P(time in the system > t) of M/M/c.
inline double sojourn_tail(int workers, double load, double t) {
    const double c = erlang_c(workers, load), gap = workers - 1 - load;
    if (std::abs(gap) < 1e-9) return std::exp(-t) * (1 + c * t);
    return std::exp(-t) * (1 + c * (1 - std::exp(-gap * t)) / gap);
}

struct Bounded {
    double blocking = 0, present = 0, stay = 0, throughput = 0;
};

// M/M/c/K, `places` being those of the workers and of the queue together.
inline Bounded bounded_queue(int workers, int places, double rate) {
    std::vector<double> weight{1};
    double total = 1, present = 0;
    for (int n = 1; n <= places; ++n) {
        weight.push_back(weight.back() * rate / (n < workers ? n : workers));
        total += weight.back();
        present += n * weight.back();
    }
    const double blocking = weight.back() / total;
    const double throughput = rate * (1 - blocking);
    return {blocking, present / total, present / total / throughput, throughput};
}

// Pollaczek and Khinchine: the mean wait of M/G/1; `variation` is the squared coefficient.
inline double pollaczek_khinchine(double load, double variation) {
    return load / (1 - load) * (1 + variation) / 2;
}

// M/M/1 without a waiting room whose refused customers come back at rate theta: how many are away.
inline double mean_orbit(double load, double theta) {
    return load * load / (1 - load) + load * load / (theta * (1 - load));
}

}  // namespace perdure::testing
