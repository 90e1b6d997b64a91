/** Where a login of a person is renewed, and the model answers. */
const OWN = [
  'https://api.anthropic.com',
  'https://platform.claude.com',
  'https://console.anthropic.com',
  'https://claude.ai',
]

type Env = Readonly<Record<string, string>>

/** Where the CLI reaches its model, by the variables that it reads itself. What a person's address names needs no login elsewhere. */
export function modelUrls(env: Env): string[] {
  const isOn = (name: string) => !/^(?:|0|false|no|off)$/i.test(env[name] ?? '')
  if (isOn('CLAUDE_CODE_USE_BEDROCK')) return bedrock(env)
  if (isOn('CLAUDE_CODE_USE_VERTEX')) return vertex(env)
  if (isOn('CLAUDE_CODE_USE_FOUNDRY')) return foundry(env)
  return env.ANTHROPIC_BASE_URL ? [env.ANTHROPIC_BASE_URL] : OWN
}

function bedrock(env: Env): string[] {
  if (env.ANTHROPIC_BEDROCK_BASE_URL) return [env.ANTHROPIC_BEDROCK_BASE_URL]
  const regions = new Set([
    env.AWS_REGION,
    env.AWS_DEFAULT_REGION,
    env.ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION,
    'us-east-1',
  ])
  return [...regions].flatMap((region) =>
    region ? ['bedrock-runtime', 'bedrock', 'sts'].map((service) => `https://${service}.${region}.amazonaws.com`) : [],
  )
}

function vertex(env: Env): string[] {
  const login = ['https://oauth2.googleapis.com', 'https://sts.googleapis.com', 'https://iamcredentials.googleapis.com']
  if (env.ANTHROPIC_VERTEX_BASE_URL) return [env.ANTHROPIC_VERTEX_BASE_URL, ...login]
  const regions = Object.keys(env).filter((name) => name.startsWith('VERTEX_REGION_') || name === 'CLOUD_ML_REGION')
  const hosts = regions.map((name) => `https://${env[name]}-aiplatform.googleapis.com`)
  return ['https://aiplatform.googleapis.com', ...new Set(hosts), ...login]
}

function foundry(env: Env): string[] {
  const login = 'https://login.microsoftonline.com'
  const name = env.ANTHROPIC_FOUNDRY_RESOURCE
  if (env.ANTHROPIC_FOUNDRY_BASE_URL) return [env.ANTHROPIC_FOUNDRY_BASE_URL, login]
  return name ? [`https://${name}.services.ai.azure.com`, login] : [login]
}
