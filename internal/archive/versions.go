package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// erase removes an object with all its versions. To delete an object of a bucket
// with versions only hides it.
func (s *bucket) erase(ctx context.Context, key string) error {
	if err := s.remove(ctx, key); err != nil {
		return err
	}
	var client *s3.Client
	if !s.b.As(&client) {
		return nil // a store without versions
	}
	in := &s3.ListObjectVersionsInput{Bucket: aws.String(s.name), Prefix: aws.String(key)}
	for {
		out, err := client.ListObjectVersions(ctx, in)
		if lacksVersions(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("its older versions could not be listed: %w", err)
		}
		versions := map[string]string{} // id to key
		for _, v := range out.Versions {
			versions[aws.ToString(v.VersionId)] = aws.ToString(v.Key)
		}
		for _, v := range out.DeleteMarkers {
			versions[aws.ToString(v.VersionId)] = aws.ToString(v.Key)
		}
		for version, of := range versions {
			if of != key {
				continue
			}
			if _, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: in.Bucket, Key: aws.String(key), VersionId: aws.String(version)}); err != nil {
				return fmt.Errorf("its version %s could not be deleted: %w", version, err)
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return nil
		}
		in.KeyMarker, in.VersionIdMarker = out.NextKeyMarker, out.NextVersionIdMarker
	}
}

// lacksVersions reports whether the server knows no versions at all.
func lacksVersions(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && (api.ErrorCode() == "NotImplemented" || api.ErrorCode() == "MethodNotAllowed")
}
