/** What is measured inside of the page. All of it is text: it runs in the browser, by the debugger's channel. */

/**
 * Put into each page before its own scripts: `benchmark.until(selector)` resolves in the first frame in which such an element is there.
 * An element that is there from before counts only when it says something else.
 */
export const INSTALL = `
globalThis.benchmark = {
  /** The frame that shows what was just found. */
  painted: () => new Promise((resolve) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => resolve(performance.now()); c.port2.postMessage(0) })),
  until(selector, limitMs = 20000, isFound = () => true) {
    const look = () => { for (const one of document.querySelectorAll(selector)) if (isFound(one)) return true; return false }
    return new Promise((resolve, reject) => {
      const done = () => { observer.disconnect(); clearTimeout(timer); resolve(benchmark.painted()) }
      const observer = new MutationObserver(() => look() && done())
      const timer = setTimeout(() => { observer.disconnect(); reject(new Error('no ' + selector + ' after ' + limitMs + ' ms in ' + location.pathname)) }, limitMs)
      if (look()) done()
      else observer.observe(document, { childList: true, subtree: true, characterData: true })
    })
  },
  /** Goes somewhere as a link of the page does; gives the milliseconds until it shows. */
  async go(path, selector) {
    const from = performance.now()
    history.pushState({}, '', path)
    return (await benchmark.until(selector)) - from
  },
  /** When texts were seen first, in milliseconds since the epoch: by the observer, and in the frame that shows it. */
  seen: {},
  watch() {
    const note = (text) => {
      for (const [token] of (text ?? '').matchAll(/pulse-[0-9a-z]+(?=\\.)/g)) {
        if (benchmark.seen[token]) continue
        const seen = (benchmark.seen[token] = { mutation: performance.timeOrigin + performance.now(), frame: null })
        benchmark.painted().then((at) => { seen.frame = performance.timeOrigin + at })
      }
    }
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === 'characterData') note(target.data)
        for (const node of addedNodes) note(node.textContent)
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  },
  /** Times between frames until \`stop\`. */
  frames() {
    const deltas = []
    let last = 0, isOver = false
    const step = (at) => { if (last) deltas.push(at - last); last = at; if (!isOver) requestAnimationFrame(step) }
    requestAnimationFrame(step)
    return () => { isOver = true; return deltas }
  },
  startFrames() { benchmark.stopFrames = benchmark.frames() },
  /** Where the nearest thing that scrolls stands, and how far it goes. */
  scroller(selector) {
    for (let at = document.querySelector(selector); at; at = at.parentElement) {
      const { overflowY } = getComputedStyle(at)
      if (at.scrollHeight > at.clientHeight + 1 && (overflowY === 'auto' || overflowY === 'scroll' || at === document.documentElement)) {
        const box = at === document.documentElement ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : at.getBoundingClientRect()
        return { x: box.left + box.width / 2, y: box.top + box.height / 2, top: at.scrollTop, height: at.scrollHeight }
      }
    }
    return null
  },
}
`
