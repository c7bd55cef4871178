const REPOSITORY = '/repos/{owner}/{repo}';
const ISSUE = `${REPOSITORY}/issues/{issue_number}`;
const PULL = `${REPOSITORY}/pulls/{pull_number}`;

/** What the loopback GitHub of the tests answers. */
export const OPERATIONS: readonly string[] = [
  'GET /rate_limit',
  'GET /user',
  `GET ${REPOSITORY}`,
  `GET ${REPOSITORY}/issues`,
  `GET ${ISSUE}`,
  `PATCH ${ISSUE}`,
  `GET ${ISSUE}/events`,
  `GET ${ISSUE}/comments`,
  `POST ${ISSUE}/comments`,
  `PATCH ${REPOSITORY}/issues/comments/{comment_id}`,
  `POST ${ISSUE}/labels`,
  `GET ${ISSUE}/sub_issues`,
  `GET ${ISSUE}/dependencies/blocked_by`,
  `GET ${REPOSITORY}/labels`,
  `GET ${REPOSITORY}/pulls`,
  `POST ${REPOSITORY}/pulls`,
  `GET ${PULL}`,
  `PATCH ${PULL}`,
  `GET ${PULL}/reviews`,
  `GET ${PULL}/comments`,
  `PUT ${PULL}/merge`,
  `GET ${REPOSITORY}/compare/{basehead}`,
  `GET ${REPOSITORY}/commits/{ref}/check-runs`,
  `GET ${REPOSITORY}/commits/{ref}/status`,
  `GET ${REPOSITORY}/check-runs/{check_run_id}/annotations`,
  `GET ${REPOSITORY}/actions/jobs/{job_id}/logs`,
  `GET ${REPOSITORY}/git/ref/{ref}`,
  `DELETE ${REPOSITORY}/git/refs/{ref}`,
];
