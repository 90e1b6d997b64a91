import { useEffect } from 'react'
import type { SearchHit } from '#api/contract/wire'
import { snippetParts } from '../rows/session-texts'

/** Name of the highlight in `app.css`. */
const HIGHLIGHT = 'found'
/** Words that are marked at most. */
const MAX_FORMS = 50

/** The forms of words in which the hits have what was searched for, in lower case. */
export const foundForms = (hits: readonly SearchHit[]): string[] =>
  [
    ...new Set(
      hits.flatMap(({ snippet }) =>
        snippetParts(snippet).flatMap(({ text, isMatch }) => (isMatch && text !== '' ? [text.toLowerCase()] : [])),
      ),
    ),
  ].slice(0, MAX_FORMS)

/** Finds these words, given in lower case, as whole words in any case of their letters; `null` without words. */
export const formsPattern = (forms: readonly string[]): RegExp | null =>
  forms.length === 0
    ? null
    : new RegExp(`(?<![\\p{L}\\p{N}])(${forms.map(RegExp.escape).join('|')})(?![\\p{L}\\p{N}])`, 'giu')

/**
 * Marks these words in the conversation, as far as it is drawn. The browser paints the marks; no element changes.
 *
 * @param forms  in lower case; marks whole words
 */
export function useFoundMarks(forms: readonly string[]): void {
  const joined = forms.join('\n')
  useEffect(() => {
    const page = document.querySelector('main')
    const words = joined === '' ? null : formsPattern(joined.split('\n'))
    if (words === null || page === null || !('highlights' in CSS)) return
    let frame = 0
    const mark = () => {
      frame = 0
      const feed = page.querySelector('[role="feed"]')
      CSS.highlights.set(HIGHLIGHT, new Highlight(...(feed === null ? [] : rangesIn(feed, words))))
    }
    const later = () => {
      frame ||= requestAnimationFrame(mark)
    }
    const watch = new MutationObserver(later)
    watch.observe(page, { childList: true, characterData: true, subtree: true })
    later()
    return () => {
      watch.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(HIGHLIGHT)
    }
  }, [joined])
}

function rangesIn(root: Element, words: RegExp): Range[] {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() !== null) {
    const { currentNode: node } = texts
    for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(words)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      ranges.push(range)
    }
  }
  return ranges
}
