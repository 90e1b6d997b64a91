import { VERSION } from '../../util/version'
import { defineCommand } from '../kit/command'

export const command = defineCommand({
  summary: 'Show the version',
  examples: [
    { line: 'lode version', does: "this program's version" },
    { line: 'lode version --json', does: 'print JSON: {version, runtime, platform}' },
  ],
  readsNoSettings: true,
  async run(context) {
    const answer = { version: VERSION, runtime: `bun ${Bun.version}`, platform: `${process.platform}-${process.arch}` }
    context.answer(answer, () => `lode ${answer.version} (${answer.runtime}, ${answer.platform})\n`)
  },
})
