import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { Random } from '../common/random'

/** A project's folder with a file of this many issues, as a tracker that was used for long has: 700 to 1,000 bytes a line. */
export function makeProject(folder: string, count: number): { dir: string; path: string; ids: string[] } {
  const dir = join(folder, 'project')
  mkdirSync(join(dir, '.lodeline'), { recursive: true })
  // Within another repository, its issues would be those of that one.
  emptyRepository(dir)
  const path = join(dir, '.lodeline/issues.jsonl')
  const random = new Random(7)
  const ids = new Set<string>()
  while (ids.size < count)
    ids.add(
      `ld-${random
        .below(36 ** 6)
        .toString(36)
        .padStart(6, '0')}`,
    )
  const all = [...ids].sort()
  const lines = all.map((id, at) => {
    const time = new Date(1_750_000_000_000 + at * 60_000).toISOString()
    const isClosed = at % 3 === 0
    return JSON.stringify({
      _type: 'issue',
      id,
      title: `Something about part ${random.below(1_000)} that has to be done`,
      description: 'What is wrong, and where it was seen. '.repeat(8 + random.below(8)),
      acceptance_criteria: 'It works as it is said above. '.repeat(3),
      status: isClosed ? 'closed' : 'open',
      priority: random.below(5),
      issue_type: ['task', 'bug', 'feature', 'epic'][random.below(4)],
      created_at: time,
      created_by: 'dev',
      updated_at: time,
      ...(isClosed && { closed_at: time, close_reason: 'Done' }),
      ...(at % 4 === 0 && { labels: [`part-${random.below(9)}`, 'easy'] }),
      // Edges lead to earlier ones, so that there is no circle.
      ...(at > 10 &&
        at % 2 === 0 && {
          dependencies: [
            {
              issue_id: id,
              depends_on_id: all[random.below(at)],
              type: random.below(3) === 0 ? 'related' : 'blocks',
              created_at: time,
              created_by: 'dev',
              metadata: '{}',
            },
          ],
        }),
      dependency_count: 0,
      dependent_count: 0,
      comment_count: 0,
    })
  })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return { dir, path, ids: all }
}
