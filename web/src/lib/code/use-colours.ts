import { useEffect, useMemo, useState } from 'react'
import type { Runs } from './colour-kinds'
import { askColours, type ColourAnswer } from './colour-queue'
import type { Language } from './languages'

type Blocks = readonly (readonly string[])[]
interface Coloured {
  blocks: Blocks
  answer: ColourAnswer | null
}

/** Colours that were asked for lately, so that a row that leaves the page and comes back has them at once. */
const kept = new Map<string, Coloured>()
const MAX_KEPT = 100
/** Characters of a text that is kept. */
const MAX_KEPT_LENGTH = 40_000

function keep(key: string, coloured: Coloured): void {
  if (key.length > MAX_KEPT_LENGTH) return
  kept.delete(key)
  kept.set(key, coloured)
  const [oldest] = kept.keys()
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
}

/**
 * The colours of code, which come a moment later: until then a line is plain, or as it was if it is the same at the same place.
 *
 * @param blocks  lines as they are shown; each block is coloured by itself. Must be the same object while they are the same lines
 * @param isWanted  whether somebody looks at it
 */
export function useColours(language: Language | null, blocks: Blocks, isWanted = true) {
  const key = useMemo(
    () => (language === null ? '' : `${language}\n${blocks.map((lines) => lines.join('\n')).join('\n\0\n')}`),
    [language, blocks],
  )
  const [coloured, setColoured] = useState<Coloured | null>(null)
  useEffect(() => {
    if (language === null || !isWanted || kept.has(key)) return
    return askColours({ language, blocks }, (answer) => {
      const told = { blocks, answer }
      keep(key, told)
      setColoured(told)
    })
  }, [language, blocks, key, isWanted])
  const shown = kept.get(key) ?? coloured
  return (block: number, line: number): Runs | undefined =>
    language !== null && shown?.blocks[block]?.[line] === blocks[block]?.[line]
      ? shown?.answer?.blocks[block]?.[line]
      : undefined
}
