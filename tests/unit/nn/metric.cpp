#include "weft/nn/metric.hpp"

#include "support/parity.hpp"
#include "weft/exec/model.hpp"

using namespace weft;

namespace {

// [metrics]
struct Metrics {
  nn::Accuracy accuracy{};
  nn::TopKAccuracy<2> top2{};
  nn::ConfusionMatrix<7> confusion{};
  nn::Perplexity perplexity{};
  nn::Mean loss{};
};
// [/metrics]

}  // namespace

TEST_CASE("nn metric: three batches give what all samples at once give") {
  const auto group = testing::read_group("losses/metrics");
  const std::vector<float> x(group.inputs[0].values.begin(), group.inputs[0].values.end());
  const std::vector<i64> labels(group.inputs[1].values.begin(), group.inputs[1].values.end());
  const auto wanted = [&](const std::string& name) {
    for (const auto& out : group.outputs)
      if (out.name == name) return out.values;
    FAIL("no such value: ", name);
    return std::vector<double>{};
  };
  // [add up]
  Model<Metrics> metrics;
  auto add = compile(
      metrics,
      [](const auto& m, auto logits, auto label) {
        m.confusion(logits, label);
        m.perplexity(logits, label);
        m.loss(cross_entropy(logits, label), sum<>(cast<f32>(ge(label, 0))));
        m.top2(logits, label);
        return m.accuracy(logits, label);  // of all batches so far
      },
      in<f32, 20, 7>, in<i64, 20>);
  auto read = compile(metrics, [](const auto& m) {
    return std::tuple{m.accuracy.value(), m.top2.value(), m.perplexity.value(), m.loss.value(),
                      f1_score<Average::macro>(m.confusion.value())};
  });
  auto reset = compile(metrics, [](const auto& m) {
    m.accuracy.reset();
    m.confusion.reset();
    m.perplexity.reset();
    m.loss.reset();
    m.top2.reset();
    return m.accuracy.seen.expr();
  });
  // [/add up]
  for (int round = 0; round < 2; ++round) {
    reset();
    float last = 0;
    for (int k = 0; k < 3; ++k) last = add(x.data() + 140 * k, labels.data() + 20 * k).item();
    CHECK(last == doctest::Approx(wanted("accuracy")[0]));
    const auto [accuracy, top2, perplexity, loss, f1] = read();
    CHECK(accuracy.item() == last);
    CHECK(top2.item() == doctest::Approx(wanted("top_2")[0]));
    CHECK(perplexity.item() == doctest::Approx(wanted("perplexity")[0]).epsilon(1e-5));
    CHECK(std::exp(loss.item()) == doctest::Approx(wanted("perplexity")[0]).epsilon(1e-5));
    CHECK(f1.item() == doctest::Approx(wanted("f1_score_macro")[0]));
    for (int k = 0; k < 49; ++k)
      CHECK(static_cast<double>(metrics.get<"confusion.counts">()[k]) ==
            wanted("confusion")[static_cast<std::size_t>(k)]);
  }
}
