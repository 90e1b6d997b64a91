/**
 * Writes down the first minutes of a person with Lodeline, as a terminal of 80 columns shows them: `npm run first-minutes`
 *
 * Types into tmux on a machine of its own: an empty home with conversations of two agent CLIs. Writes `docs/guide/first-minutes.md`. Needs
 * tmux, and the executable of `npm run build`.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../test/lab/free-port'

const root = resolve(import.meta.dir, '..')
const PAGE = join(root, 'docs/guide/first-minutes.md')
const COLUMNS = 80
const LINES = 24
const PATIENCE_MS = 30_000

/** What is typed, what is waited for, and what the page says of it. */
interface Step {
  title: string
  keys: string[]
  until: string
  text?: string
}

const STEPS: Step[] = [
  {
    title: 'The first call',
    keys: ['lode', 'Enter'],
    until: 'Record these',
    text: 'What is here, within a second. Nothing has been changed.',
  },
  { title: 'The answers', keys: ['Enter'], until: 'Add hooks', text: 'Enter takes the answer in capitals.' },
  {
    title: 'Recording',
    keys: ['Enter'],
    until: 'recorded',
    text: 'All conversations are in the record. The server stays until Ctrl-C; what follows is another terminal.',
  },
  { title: 'How things stand', keys: ['NEW', 'clear; lode', 'Enter'], until: 'TITLE' },
  { title: 'A conversation', keys: ['clear; lode session show 2ae79ea6', 'Enter'], until: '$ ' },
  { title: 'Search', keys: ['clear; lode search carry', 'Enter'], until: '$ ' },
  { title: 'What it costs', keys: ['clear; lode cost list --by agent', 'Enter'], until: '$ ' },
  { title: 'Live', keys: ['clear; lode top', 'Enter'], until: 'last' },
  { title: 'A mistake', keys: ['q', 'clear; lode sesion list', 'Enter'], until: '$ ' },
  { title: 'The end', keys: ['clear; lode uninstall --dry-run', 'Enter'], until: '$ ' },
]

const executable = join(root, 'dist/lode')
if (!existsSync(executable)) throw new Error("There is no dist/lode. Run 'npm run build' first.")
const folder = mkdtempSync(join(tmpdir(), 'lode-first-'))
const socket = join(folder, 'tmux')
let isEnding = false
try {
  const home = join(folder, 'me')
  furnish(home)
  start(home)
  const screens: string[] = []
  for (const step of STEPS)
    screens.push(
      `## ${step.title}\n\n${step.text === undefined ? '' : `${step.text}\n\n`}\`\`\`text\n${await play(step, home)}\n\`\`\`\n`,
    )
  writeFileSync(PAGE, page(screens))
  process.stderr.write(`wrote ${PAGE}\n`)
} finally {
  isEnding = true
  tmux('send-keys', '-t', ':0', 'C-c')
  await Bun.sleep(1_000)
  tmux('kill-server')
  rmSync(folder, { recursive: true, force: true })
}

function furnish(home: string): void {
  const fixtures = join(root, 'test/fixtures')
  const project = join(home, '.claude/projects/-home-me-app')
  for (const path of [project, join(home, 'bin'), join(home, '.lodeline'), join(home, '.codex')])
    mkdirSync(path, { recursive: true })
  cpSync(join(fixtures, 'claude-code/transcripts/2.1.328/forked'), project, { recursive: true })
  cpSync(join(fixtures, 'codex/0.169.0/plan/sessions'), join(home, '.codex/sessions'), { recursive: true })
  symlinkSync(executable, join(home, 'bin/lode'))
  // Another server may run on this machine.
  writeFileSync(join(home, '.lodeline/config.yaml'), `listen.port: ${freePort()}\n`)
}

function start(home: string): void {
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(COLUMNS), '-y', String(LINES), '-c', home, ...shell(home))
}

/** The environment of a new terminal, with nothing of this process's. */
function shell(home: string): string[] {
  const path = `${join(home, 'bin')}:/usr/bin:/bin`
  const env = { HOME: home, PATH: path, TERM: 'screen-256color', LANG: 'C.UTF-8', PS1: '$ ' }
  return ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), 'sh']
}

async function play({ keys, until, title }: Step, home: string): Promise<string> {
  for (const key of keys)
    if (key === 'NEW') {
      tmux('new-window', '-c', home, ...shell(home))
      await Bun.sleep(500)
    } else tmux('send-keys', key)
  const end = Date.now() + PATIENCE_MS
  // A prompt alone was there before, too.
  await Bun.sleep(1_500)
  while (!shown(home).includes(until.trimEnd())) {
    if (Date.now() > end) throw new Error(`${title}: ${until} never came:\n${shown(home)}`)
    await Bun.sleep(100)
  }
  return shown(home)
}

/** The screen, without the folder that is only of this try. */
function shown(home: string): string {
  return tmux('capture-pane', '-p')
    .replaceAll(home, '/home/me')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4655')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
}

function tmux(...words: string[]): string {
  const { stdout, exitCode, stderr } = Bun.spawnSync(['tmux', '-S', socket, ...words])
  if (exitCode !== 0 && !isEnding) throw new Error(`tmux ${words.join(' ')}: ${stderr.toString()}`)
  return stdout.toString()
}

function page(screens: readonly string[]): string {
  const head = `# The first minutes

What a terminal of ${COLUMNS} columns shows on a machine with conversations of two agent CLIs. A script typed this and wrote the page:
\`npm run first-minutes\`. [First steps](first-steps.md) explains it.
`
  return `${head}\n${screens.join('\n')}`
}
