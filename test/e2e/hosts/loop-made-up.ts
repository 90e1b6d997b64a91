/** The made-up agent CLI as the CLI of a loop: it starts in a fiftieth of the time that the real one takes, so faults come more often. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markersIn } from '../../../src/domain/message/message'
import { readTalkLine, SHOWN_FILE, type ShownLine, TICKED } from '../../harness/made-up/talk'
import type { LoopCli } from './loop-cli'

export function madeUpOfLoop(root: string, project: string): LoopCli {
  const transcript = (session: string): string => join(root, 'talks', `${session}.talk`)
  const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
  return {
    name: 'made-up',
    namesConversations: true,
    ticks: join(project, 'ticks'),
    lastWords: TICKED,
    transcript,
    // An export names each transcript in this way.
    files: (session) => {
      const path = transcript(session)
      return [{ path, name: `${session}.jsonl`, bytes: readFileSync(path) }]
    },
    told: (session) =>
      linesOf(transcript(session)).flatMap((line) => {
        const said = readTalkLine(line)
        return said?.part === 'person' ? [markersIn(said.text)] : []
      }),
    shown({ id }) {
      for (const line of linesOf(join(root, SHOWN_FILE))) {
        if (!line.includes(`"${id}"`)) continue
        const { attempt, said, prompt } = JSON.parse(line) as ShownLine
        if (attempt !== id) continue
        const before = said.map(({ text }) => text).join('\n')
        return { before, isContinued: said.some(({ part }) => part === 'agent'), prompt }
      }
      return null
    },
    readOutput(line) {
      const [word] = line.split(' ')
      return { key: word === 'USES' ? line : null, isResult: word === 'DONE' }
    },
  }
}
