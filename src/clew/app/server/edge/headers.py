"""Response headers that restrict what a browser may do with the page and with answers."""

__all__ = ["ANSWER_HEADERS", "DRAWING_HEADERS", "PAGE_HEADERS"]

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
DRAWING_POLICY = (  # a drawing is one self-contained file, shown without the rights of this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'; "
    "sandbox allow-scripts"
)


def _headers(policy: str, caching: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        (b"cache-control", caching.encode()),
    ]


PAGE_HEADERS = _headers(PAGE_POLICY, "no-cache")
ANSWER_HEADERS = _headers(ANSWER_POLICY, "no-store")
DRAWING_HEADERS = _headers(DRAWING_POLICY, "no-store")
