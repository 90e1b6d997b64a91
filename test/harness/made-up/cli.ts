/**
 * A made-up agent CLI: `talk [--again ID | --copy FILE]` reads one prompt up to the end of its input, adds it with its answer to a talk,
 * and says what it does in lines of words. It names its talks itself. Its folder is MADE_UP_HOME.
 *
 * It has no model: asked what it remembers it says what persons said before, and told to crash once it ends in the middle of a turn.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beginOf, beginText, newLine, readTalkLine, SPEECH, type TalkLine } from './talk'

const [verb, option, value = ''] = process.argv.slice(2)
const talks = join(process.env.MADE_UP_HOME ?? '/nowhere', 'talks')
const say = (...words: string[]): void => {
  process.stdout.write(`${words.map((word) => word.replaceAll('\n', ' ')).join(' ')}\n`)
}

if (verb === 'release') say('made-up', '3.1')
else if (verb === 'talk') await talk()
else process.exit(64)

function linesOf(path: string): TalkLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => readTalkLine(line) ?? [])
}

async function talk(): Promise<void> {
  mkdirSync(talks, { recursive: true })
  const isAgain = option === '--again'
  const id = isAgain ? value : `talk-${crypto.randomUUID().slice(0, 8)}`
  const path = join(talks, `${id}.talk`)
  if (isAgain && !existsSync(path)) {
    process.stderr.write(`there is no talk ${id}\n`)
    process.exit(3)
  }
  const prompt = await Bun.stdin.text()
  if (option === '--copy') {
    const [begin, ...rest] = readFileSync(value, 'utf8').split(/(?<=\n)/)
    const of = beginOf(readTalkLine(begin ?? '') ?? { at: '', uuid: '', part: 'begin', text: '' })
    writeFileSync(path, [newLine('begin', beginText(id, process.cwd(), of.id)), ...rest].join(''))
  } else if (!isAgain) writeFileSync(path, newLine('begin', beginText(id, process.cwd())))
  say(SPEECH, id, process.cwd())

  const before = linesOf(path).filter(({ part }) => part === 'person')
  appendFileSync(path, newLine('person', prompt))
  if (prompt.includes('crash once') && before.length === 0) {
    appendFileSync(path, newLine('tool', 'hammer the wall'))
    say('USES', 'hammer the wall')
    process.exit(9)
  }
  const heard = before.map(({ text }) => text.split('\n')[0]).join(' | ')
  const answer = `I heard before: ${heard === '' ? 'nothing' : heard}`
  appendFileSync(path, newLine('agent', answer) + newLine('rest', ''))
  say('SAYS', answer)
  say('DONE', answer)
}
