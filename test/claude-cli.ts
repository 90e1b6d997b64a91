/** The pinned CLI for tests: `claudeCli('2.1.328')` is the absolute path of a binary that runs. */
export { type ClaudeCliVersion, claudeCli } from '../src/util/claude-cli'
