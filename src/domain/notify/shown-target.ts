import { CHANNEL_KINDS, type ChannelKind } from './channel-kind'

/** A channel's target as a person may see it: of one that is a secret itself, where it leads. */
export function shownTarget(kind: ChannelKind, target: string | null): string | null {
  if (target === null) return null
  const spec = CHANNEL_KINDS[kind]
  if (spec.isTargetSecret) return `${new URL(target).origin}/...`
  return spec.target === 'argv' ? (JSON.parse(target) as string[]).join(' ') : target
}
