/**
 * A made-up agent CLI: `talk [--again ID | --copy FILE]` reads one prompt up to the end of its input, adds it with its answer to a talk,
 * and says what it does in lines of words. It names its talks itself. Its folder is MADE_UP_HOME.
 *
 * It has no model: asked what it remembers it says what persons said before, and told to crash once it ends in the middle of a turn. Told to
 * tick it works for two seconds, in steps, and goes on where it was when it is called again. It notes what it was shown.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beginOf, beginText, newLine, readTalkLine, SHOWN_FILE, SPEECH, type TalkLine, TICK, TICKED } from './talk'

const TICKS = 20
const TICK_MS = 100

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

/** What it was shown, for a test of whether that was the right conversation. */
function note(shown: { session: string; said: readonly TalkLine[]; prompt: string }): void {
  const said = shown.said.map(({ part, text }) => ({ part, text }))
  appendFileSync(
    join(process.env.MADE_UP_HOME ?? '/nowhere', SHOWN_FILE),
    `${JSON.stringify({ attempt: process.env.LODELINE_ATTEMPT_ID, session: shown.session, said, prompt: shown.prompt })}\n`,
  )
}

/** Writes a line into `ticks/TASK` of its folder for each step. Steps of a turn that was cut short are not done again. */
async function tick(path: string, lines: readonly TalkLine[]): Promise<void> {
  const { LODELINE_ATTEMPT_ID: attempt = '', LODELINE_TASK_ID: task = '' } = process.env
  const done = lines.slice(lines.findLastIndex(({ part }) => part === 'rest') + 1).filter(({ part }) => part === 'tool')
  for (let step = done.length + 1; step <= TICKS; step++) {
    appendFileSync(join('ticks', task), `${attempt} ${Date.now()}\n`)
    appendFileSync(path, newLine('tool', `tick ${step}`))
    say('USES', `tick ${step} of ${attempt}`)
    await Bun.sleep(TICK_MS)
  }
  appendFileSync(path, newLine('agent', TICKED) + newLine('rest', ''))
  say('SAYS', TICKED)
  say('DONE', TICKED)
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

  const lines = linesOf(path)
  const before = lines.filter(({ part }) => part === 'person')
  note({ session: id, said: lines.filter(({ part }) => part === 'person' || part === 'agent'), prompt })
  appendFileSync(path, newLine('person', prompt))
  if ([prompt, ...before.map(({ text }) => text)].some((text) => text.includes(TICK))) return await tick(path, lines)
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
