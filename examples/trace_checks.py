"""OpenTelemetry: each check is a span, with verdict and score, wherever the program's traces go."""

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from ragcortex import Detector
from ragcortex.integrations.opentelemetry import TracedDetector

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
trace.set_tracer_provider(provider)

detector = TracedDetector(Detector.load(witness="geometry"))
with trace.get_tracer("my-program").start_as_current_span("answer a question"):
    report = detector.check("When?", ["It was built in 1874."], "It was built in 1902.")
print(report.verdict)
