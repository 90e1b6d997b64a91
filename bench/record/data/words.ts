import type { Random } from '../../common/random'

const COMMON =
  'the a of to and in is for that with this file test error session value return function import const await async type string number list order index store write read event line parse offset chunk journal record agent task server client request response token cache page query table column row key lock commit branch merge build deploy module config default option result state change update delete insert select create remove start stop retry backoff timeout queue worker thread process signal socket stream buffer byte encode decode format check guard limit range count total average median latency throughput'.split(
    ' ',
  )

/** Names as in code: two words joined. About 12,000 different ones, as many as a working folder has. */
const name = (random: Random): string => {
  const second = random.pick(COMMON)
  return `${random.pick(COMMON)}${second.charAt(0).toUpperCase()}${second.slice(1)}`
}

/** Mostly common words; names, numbers and ids between them. */
export function word(random: Random): string {
  const kind = random.next()
  // The square makes the first words of the list the most frequent, as in speech.
  if (kind < 0.85) return COMMON[Math.floor(COMMON.length * random.next() ** 2)] as string
  if (kind < 0.97) return name(random)
  return kind < 0.99 ? String(random.below(10_000)) : random.hex(8)
}

/** Sentences, at least `length` characters. */
export function prose(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += word(random) + (random.chance(0.08) ? '. ' : ' ')
  return text
}

/** Numbered lines of code, as a tool shows a file, at least `length` characters. */
export function code(random: Random, length: number): string {
  let text = ''
  for (let line = 1; text.length < length; line++) {
    const start = random.pick(['const', 'let', 'return', 'if', 'await'])
    text += `${String(line).padStart(6)}\t  ${start} ${name(random)} = ${word(random)}.${word(random)}(${word(random)}, "${word(random)} ${word(random)}")\n`
  }
  return text
}
