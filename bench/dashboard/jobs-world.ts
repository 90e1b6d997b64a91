/** Small work of every kind, on a server without workers of its own. */
import type { SessionId, TaskId } from '../../src/domain/ids'
import { importConversations } from '../../test/browser/page/page-transcripts'
import { Asker } from '../../test/browser/world/world-questions'
import type { Lab } from '../../test/lab/lab'
import type { Lode } from '../../test/lab/lode'

export interface JobsWorld {
  /** Has one failed call among many. */
  failing: SessionId
  task: TaskId
}

const SESSIONS = 40
const ISSUES = 300

/** Fills an empty server. @param lab  keeps the files that the work comes from */
export async function makeJobsWorld(server: Lode, lab: Lab): Promise<JobsWorld> {
  const { client } = server
  const [failing] = await importConversations(
    server,
    lab.root,
    Array.from({ length: SESSIONS }, (_, at) => ({
      cwd: '/srv/harbour',
      title: `Session ${at}`,
      startedAt: Date.now() - (at + 1) * 600_000,
      lines: (write) => [
        write.prompt('Mend the tariff'),
        ...Array.from({ length: 60 }, (_, line) =>
          write.call('Bash', { command: `check ${line}` }, line === 30 ? 'no such tariff' : 'good', {
            isError: line === 30,
          }),
        ).flat(),
        write.say(at === 7 ? 'We decided to keep the lighthouse.' : 'It is mended.'),
      ],
    })),
  )
  const asker = await Asker.join(server)
  let task: TaskId | undefined
  for (let at = 0; at < 6; at++) task = (await asker.ask(`Load ship ${at}`, ['make load']))[0]?.taskId ?? task
  const dir = lab.folder('tracker')
  for (let at = 0; at < ISSUES; at++)
    await client.issues.create({ dir, actor: 'ann', title: `Issue ${at}`, priority: 2 })
  if (failing === undefined || task === undefined) throw new Error('nothing was made')
  return { failing, task }
}
