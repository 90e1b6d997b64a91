/** Why `lode setup claude` refuses a settings file with comments: the CLI itself does not read it. */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTER_CLIS } from '../lab/claude'
import { openLab } from '../lab/lab'

test.each(OUTER_CLIS)(
  'Claude Code %s runs no hook of a settings file with a comment or a trailing comma',
  async (version) => {
    const lab = await openLab({ claude: { version, script: 'todos' } })
    try {
      mkdirSync(lab.claude.claudeRoot, { recursive: true })
      const hooks = (name: string) => {
        const handler = { type: 'command', command: `touch ${join(lab.claude.root, name)}` }
        return `"hooks": ${JSON.stringify({ SessionStart: [{ hooks: [handler] }] })}`
      }
      const texts = {
        plain: `{ ${hooks('plain')} }`,
        comment: `{ // mine\n ${hooks('comment')} }`,
        comma: `{ ${hooks('comma')}, }`,
      }
      for (const text of Object.values(texts)) {
        writeFileSync(join(lab.claude.claudeRoot, 'settings.json'), text)
        await lab.claude.run({ prompt: 'hello' })
      }
      expect(Object.keys(texts).filter((name) => existsSync(join(lab.claude.root, name)))).toEqual(['plain'])
    } finally {
      await lab.stop()
    }
  },
)
