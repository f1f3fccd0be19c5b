// Score and state, told to the page that embeds this one: SPLICE's messages (cssplice.org).
//
//   to the embedding page     SPLICE.getState              once, when the lesson opens
//   from it                   SPLICE.getState.response     the state that it kept, if it kept one
//   to it                     SPLICE.reportScoreAndState   after each answer: score 0..1, state
//   to it                     SPLICE.sendEvent             each answer by itself
//   to it                     lti.frameResize              how high the page is, pixels
//
// A parent that answers knows its reader: what it kept, even nothing, goes before what the page kept
// itself, which may be another student's at the same computer.
//
// Nobody knows where the page is embedded, so messages go to any parent; they hold the answers
// and nothing else. What comes back counts only from the parent itself.

/** Return messages to and from the embedding page; null where there is none. */
export function splice({ restored, own = window, parent = window.parent }) {
  if (!parent || parent === own) return null;
  let asked = identity();
  const send = (subject, told) => parent.postMessage({ subject, message_id: identity(), ...told }, "*");
  own.addEventListener("message", (event) => {
    const told = event.data;
    if (event.source !== parent || told === null || typeof told !== "object") return;
    if (told.subject !== "SPLICE.getState.response" || told.message_id !== asked) return;
    asked = "";
    restored(told.state !== null && typeof told.state === "object" ? told.state : {});
  });
  parent.postMessage({ subject: "SPLICE.getState", message_id: asked }, "*");
  let height = 0;
  return {
    report: (score, state) => send("SPLICE.reportScoreAndState", { score, state }),
    event: (name, data) => send("SPLICE.sendEvent", { name, data }),
    resize: (pixels) => {
      if (Math.abs(pixels - height) < 2) return;
      height = pixels;
      send("lti.frameResize", { height: pixels });
    },
  };
}

/** Return an id that nobody else has: a version 4 UUID, also where the page is no secure context. */
function identity() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}
