// A page that is served while its run goes on asks for the rows that have come since.

const EVERY = 1000; // ms; four times as long as the last rows took, if that is more

const ID = 1 + Math.floor(Math.random() * (2 ** 53 - 1)); // of this page among those of the run

// update: what is done with new data; ended: what is done when no more will come
export function follow(update, ended) {
  const ask = async () => {
    let data = null;
    const begin = performance.now();
    try {
      const reply = await fetch(`data?${ID}`, { cache: "no-store" });
      if (reply.ok) data = await reply.json();
      else if (reply.status !== 503) return ended();
    } catch {
      return ended(); // the server has gone with its run
    }
    if (data) update(data);
    if (data && !data.live) return ended();
    setTimeout(ask, Math.max(EVERY, 4 * (performance.now() - begin)));
  };
  setTimeout(ask, EVERY);
  addEventListener("pagehide", () => navigator.sendBeacon(`closed?${ID}`));
}
