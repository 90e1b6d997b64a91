/** What is wrong with the layout of the page that is open: a script for the page, which needs nothing but what every browser has. */

/** What stands over the rest for a reason, or is there for a person who does not see. */
const ASIDE = '.sr-only, svg, [role=tooltip]'

/**
 * Gives one line for each fault:
 *
 * - the document scrolls sideways, or up and down: pages have parts that do;
 * - one part that scrolls up and down stands in another one;
 * - something stands out of what holds it, over its neighbours;
 * - words are cut, and no ellipsis and no title says so;
 * - a control has something over its middle, or less than half of it can be seen beside a clipping edge;
 * - a control is smaller than 24 px, and 9 px from its middle is another one. (The whole of WCAG 2.5.8 is asked of axe at two widths, in
 *   pages-widths.ts: it takes ten times as long.)
 */
export const LAYOUT_FAULTS = `(() => {
  const faults = new Set()
  /* A dialog stands over the rest. */
  const root = document.querySelector('dialog[open]') ?? document.querySelector('#root')
  const styles = new Map()
  const styleOf = (one) => styles.get(one) ?? (styles.set(one, getComputedStyle(one)), styles.get(one))
  const named = (one) => {
    const label = one.getAttribute('aria-label') ?? one.textContent.trim()
    const place = one.closest('[data-testid]')?.dataset.testid ?? one.closest('section, nav, header, main')?.tagName.toLowerCase() ?? ''
    return one.tagName.toLowerCase() + ' in ' + place + ' "' + label.slice(0, 24) + '" .' + String(one.className).slice(0, 60)
  }
  const scrollsDown = (one) => ['auto', 'scroll'].includes(styleOf(one).overflowY) && one.scrollHeight > one.clientHeight + 1
  const clips = (one) => styleOf(one).overflowX !== 'visible'
  /* Once for each element: an element that is only heard hides all within it. */
  const heard = new Map()
  const isHeard = (one) => {
    if (one === null || one === root) return false
    if (!heard.has(one)) heard.set(one, (one.clientWidth === 1 && one.clientHeight === 1) || isHeard(one.parentElement))
    return heard.get(one)
  }
  const isSeen = (one) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest(${JSON.stringify(ASIDE)}) && !isHeard(one)

  const { scrollWidth, scrollHeight } = document.documentElement
  if (scrollWidth > innerWidth) faults.add('wider than the screen by ' + (scrollWidth - innerWidth))
  if (scrollHeight > innerHeight) faults.add('the document scrolls down by ' + (scrollHeight - innerHeight))

  const all = [...root.querySelectorAll('*')].filter(isSeen)
  for (const one of all) {
    if (!scrollsDown(one)) continue
    for (let over = one.parentElement; over; over = over.parentElement)
      if (scrollsDown(over)) faults.add('scrolls within what scrolls: ' + named(one))
  }

  /* Of an element: the part of the screen in which it can be seen. */
  const windowOf = (one) => {
    const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
    let isLifted = styleOf(one).position === 'absolute'
    for (let over = one.parentElement; over; over = over.parentElement) {
      /* What is lifted out of its holder is clipped by none but a positioned one. */
      if (isLifted && styleOf(over).position === 'static') continue
      isLifted = styleOf(over).position === 'absolute'
      if (!clips(over) && styleOf(over).overflowY === 'visible') continue
      const rect = over.getBoundingClientRect()
      seen.left = Math.max(seen.left, rect.left)
      seen.top = Math.max(seen.top, rect.top)
      seen.right = Math.min(seen.right, rect.right)
      seen.bottom = Math.min(seen.bottom, rect.bottom)
      if (over === root) break
    }
    return seen
  }

  for (const one of all) {
    const style = styleOf(one)
    const holder = one.parentElement
    const rect = one.getBoundingClientRect()
    if (rect.width < 1 || rect.height < 1) continue
    const isFree = style.position === 'absolute' || style.position === 'fixed' || style.display === 'inline' || holder.tagName === 'TR'
    if (!isFree && holder !== root && !clips(holder) && styleOf(holder).display !== 'contents') {
      const over = holder.getBoundingClientRect()
      if (rect.right > over.right + 1.5 || rect.left < over.left - 1.5 - Math.max(0, -parseFloat(style.marginLeft)))
        faults.add('stands out sideways by ' + Math.round(Math.max(rect.right - over.right, over.left - rect.left)) + ': ' + named(one))
    }
    const isCut = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
    const hides = (axis) => ['hidden', 'clip'].includes(axis)
    const hasWords = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (hides(style.overflowX) && one.scrollWidth > one.clientWidth + 1 && !isCut && one.title === '' && one.clientWidth > 0) {
      /* An ellipsis further within says it. */
      const edge = one.getBoundingClientRect().right + 1
      const isBeyond = [...one.querySelectorAll('*')].filter(isSeen).find((child) => child.getBoundingClientRect().right > edge && child.getBoundingClientRect().width > 0 && (child.childElementCount === 0 && child.textContent.trim() !== '' || child.matches('a, button, input, select')) && windowOf(child).right >= edge - 2)
      if (isBeyond || hasWords) faults.add('cut at the right without a sign: ' + named(isBeyond ?? one))
    }
    if (hides(style.overflowY) && hasWords && one.scrollHeight > one.clientHeight + 2 && style.webkitLineClamp === 'none' && one.clientHeight > 0 && one.title === '')
      faults.add('cut below without a sign: ' + named(one))
    if (hasWords && style.display !== 'inline' && style.overflowX === 'visible' && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
      faults.add('words stand out by ' + (one.scrollWidth - one.clientWidth) + ': ' + named(one))
  }

  const controls = 'a[href], button, input, select, textarea, summary, [role=button]'
  for (const one of root.querySelectorAll(controls)) {
    if (!isSeen(one) || one.disabled) continue
    const rect = one.getClientRects()[0]
    if (!rect) continue
    const seen = windowOf(one)
    const [left, right] = [Math.max(rect.left, seen.left), Math.min(rect.right, seen.right)]
    const [top, bottom] = [Math.max(rect.top, seen.top), Math.min(rect.bottom, seen.bottom)]
    if (bottom - top < rect.height / 2) continue
    if (right - left < rect.width / 2) {
      const isScrolled = (() => { for (let over = one.parentElement; over; over = over.parentElement) if (['auto', 'scroll'].includes(styleOf(over).overflowX) && over.scrollWidth > over.clientWidth) return true })()
      if (!isScrolled) faults.add('a control is out of sight: ' + named(one))
      continue
    }
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    const label = one.closest('label')
    if (hit && hit !== one && !one.contains(hit) && !label?.contains(hit) && !hit.contains(one))
      faults.add('covered by ' + named(hit) + ': ' + named(one))
    /* Links within a text may be as small as its letters. */
    if (Math.min(rect.width, rect.height) >= 23.5 || styleOf(one).display === 'inline') continue
    /* Whoever sees a part of it scrolls first. */
    if (rect.top - 9 < seen.top || rect.bottom + 9 > seen.bottom) continue
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    for (const [dx, dy] of [[-9, 0], [9, 0], [0, -9], [0, 9]]) {
      const near = document.elementFromPoint(x + dx, y + dy)?.closest(controls)
      if (near && near !== one && !near.contains(one) && !one.contains(near) && !label?.contains(near))
        faults.add('too small to hit beside ' + named(near) + ': ' + named(one))
    }
  }
  return [...faults]
})()`
