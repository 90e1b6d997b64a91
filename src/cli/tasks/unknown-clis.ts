import { didYouMean } from '../kit/arguments/suggest'
import type { Context } from '../kit/context'

/** Says which of the names are no agent CLI that this program knows. They are taken all the same: a worker may know more. */
export async function noteUnknownClis({ note }: Context, names: readonly string[] | undefined): Promise<void> {
  if (names === undefined || names.length === 0) return
  const { harnesses } = await import('../../harness/registry')
  const known = harnesses().map(({ name }) => name)
  for (const name of names)
    if (!known.includes(name))
      note(
        `Lodeline knows no agent CLI '${name}' here.${didYouMean(name, known)} Only a worker that has it runs the task.`,
      )
}
