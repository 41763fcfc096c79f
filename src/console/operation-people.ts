// What the console asks about people: who is signed in and where, members, and invitations.
import { paging } from './operation-part.js';

const member = `
  id
  name
  email
  role
  authority { maxAmount currency }
  status
  methods
  lastSeenAt
  createdAt
`;

export const peopleOperations = {
  MySession: `query MySession {
    me { environment tenantId serverTime member { id } session { csrfToken expiresAt } }
  }`,

  SignInPerson: `mutation SignInPerson($input: SignInInput!) {
    signIn(input: $input) { tenantId tenants { id name } }
  }`,

  Join: `mutation Join($input: JoinInput!) {
    join(input: $input) { tenantId }
  }`,

  RequestRecovery: `mutation RequestRecovery($input: RecoverInput!) {
    requestRecovery(input: $input) { accepted }
  }`,

  StepUp: `mutation StepUp($input: StepUpInput!) {
    stepUp(input: $input) { tenantId }
  }`,

  PasskeyOptions: `mutation PasskeyOptions($input: PasskeyOptionsInput!) {
    passkeyOptions(input: $input) { options }
  }`,

  UsePasskey: `mutation UsePasskey($input: PasskeyInput!) {
    usePasskey(input: $input) { tenants { id name } }
  }`,

  MyPasskeys: `query MyPasskeys {
    passkeys { id name createdAt lastUsedAt }
  }`,

  DeletePasskey: `mutation DeletePasskey($id: PasskeyId!) {
    deletePasskey(id: $id) { id }
  }`,

  BeginOidc: `mutation BeginOidc($input: OidcRoundInput!) {
    beginOidc(input: $input) { redirectTo }
  }`,

  SignInSettings: `query SignInSettings {
    signInSettings { slug methods idleSeconds absoluteSeconds oidc { issuer clientId } }
  }`,

  SetSignInSettings: `mutation SetSignInSettings($input: SignInSettingsInput!) {
    setSignInSettings(input: $input) { slug }
  }`,

  SwitchTenant: `mutation SwitchTenant($input: SwitchTenantInput!) {
    switchTenant(input: $input) { tenantId }
  }`,

  EndBrowserSession: `mutation EndBrowserSession($id: String!) {
    endBrowserSession(id: $id) { id }
  }`,

  SetPassword: `mutation SetPassword($input: SetPasswordInput!) {
    setPassword(input: $input) { changedAt }
  }`,

  MySessions: `query MySessions {
    browserSessions { id current environment method signedInAt lastSeenAt expiresAt ip userAgent }
  }`,

  Members: `query Members($role: MemberRole, $status: MemberStatus, $after: Cursor) {
    members(limit: 50, role: $role, status: $status, after: $after) { nodes { ${member} } ${paging} }
  }`,

  Member: `query Member($id: MemberId!) {
    member(id: $id) { ${member} }
  }`,

  UpdateMember: `mutation UpdateMember($id: MemberId!, $input: UpdateMemberInput!) {
    updateMember(id: $id, input: $input) { id role status }
  }`,

  RemoveMember: `mutation RemoveMember($id: MemberId!) {
    removeMember(id: $id) { id }
  }`,

  SignOutMember: `mutation SignOutMember($id: MemberId!) {
    signOutMember(id: $id) { id }
  }`,

  RecoverMember: `mutation RecoverMember($id: MemberId!) {
    recoverMember(id: $id) { link expiresAt }
  }`,

  Invitations: `query Invitations($after: Cursor) {
    invitations(limit: 50, after: $after) {
      nodes { id email role authority { maxAmount currency } status memberId createdAt expiresAt }
      ${paging}
    }
  }`,

  CreateInvitation: `mutation CreateInvitation($input: CreateInvitationInput!) {
    createInvitation(input: $input) { id email link expiresAt }
  }`,

  RevokeInvitation: `mutation RevokeInvitation($id: InvitationId!) {
    revokeInvitation(id: $id) { id }
  }`,
} as const;
